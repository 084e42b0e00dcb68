import Foundation
import ProviderTesting
import Testing

@Suite(.enabled(if: Bench.isRoot, "a private mount table needs root"))
struct `The README` {
  /// What its reader types, one command a line, with what the line's comment promises.
  private static func typed() throws -> [(line: String, promise: String?)] {
    let readme = try String(contentsOfFile: Bench.repository + "/README.md", encoding: .utf8)
    let lines = readme.split(separator: "\n")
    let start = try #require(lines.firstIndex(of: "## Five minutes by hand"))
    let section = lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
    return section.filter { $0.hasPrefix("    ") }.map { line in
      let line = line.drop { $0 == " " }
      guard let comment = line.range(of: "  # ") else { return (String(line), nil) }
      return (String(line[..<comment.lowerBound]), String(line[comment.upperBound...]))
    }
  }

  /// A comment of these words promises a failure that says so.
  private static func isError(_ promise: String) -> Bool {
    promise.contains("not permitted") || promise.contains("ErrorDomain")
  }

  @Test func `can be followed by hand, and every line does what it says`() async throws {
    try await withBench { bench in
      let typed = try Self.typed()
      #expect(typed.count >= 15)
      #expect(typed.contains { $0.promise.map(Self.isError) == true })
      // One shell, which reads a line after the other, as a person's does.
      var script = "rmdir cloud; cd '\(Bench.repository)'\n"
      for (number, command) in typed.enumerated() {
        let line = command.line.replacing("/tmp/cloud", with: bench.cloud)
          .replacing("$PWD/.build/release", with: Bench.build)
        script += "{\n\(line)\n} >'\(bench.path)/\(number).said' 2>&1 </dev/null; echo \"$?\"\n"
      }
      script += "wait $!; echo \"$?\"; ls -A '\(bench.cloud)' | wc -l\n"
      let said = try await bench.alone(script)
      let codes = said.output.split(separator: "\n").compactMap { Int32($0) }
      try #require(codes.count == typed.count + 2, "\(said)")
      for (number, command) in typed.enumerated() {
        let text = try String(contentsOfFile: "\(bench.path)/\(number).said", encoding: .utf8)
        let fails = command.promise.map(Self.isError) ?? false
        #expect((codes[number] != 0) == fails, "\(command.line): exit \(codes[number]): \(text)")
        guard let promise = command.promise else { continue }
        let part = fails ? promise : String(promise.prefix { $0 != " " })
        #expect(text.contains(part), "\(command.line): \(text)")
      }
      // What ran in the background ended well, and nothing is mounted any more.
      #expect(codes.suffix(2) == [0, 0])
      let held = try #require(typed.firstIndex { $0.line.hasPrefix("fakeprovider wait hold:forty") })
      let status = try String(contentsOfFile: "\(bench.path)/\(held + 1).said", encoding: .utf8)
      #expect(status.contains("downloading 40 %"), "\(status)")
    }
  }
}
