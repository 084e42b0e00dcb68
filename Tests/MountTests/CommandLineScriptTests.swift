import Foundation
import ProviderControl
import ProviderTesting
import Testing

/// Who else has such folders mounted at this moment cannot say anything about these.
@Suite struct `A script` {
  @Test func `for the demo succeeds and leaves nothing`() async throws {
    try await withBench { bench in
      let said = try await bench.run([Bench.repository + "/scripts/demo.sh"])
      #expect(said.code == 0 && said.errors == "", "\(said)")
      #expect(said.output.contains("staged") && said.output.contains("✓ and the copy is whole"), "\(said)")
      #expect(!said.output.contains("✗"))
      #expect(try bench.mounts.isEmpty)
      #expect(try FileManager.default.contentsOfDirectory(atPath: bench.temporary).isEmpty)
      #expect(try FileManager.default.contentsOfDirectory(atPath: bench.path + "/run/fakeprovider").isEmpty)
    }
  }

  @Test func `for a corpus reads every file in every way`() async throws {
    try await withBench { bench in
      let made = try await bench.bash(
        #"""
        cd source
        : >empty; printf x >'a b'; printf x >-dash; printf x >"it's"; printf x >$'line\nbreak'
        printf x >'旅行.txt'; printf x >$'not\xffutf8'; printf x >"$(printf 'n%.0s' {1..255})"; ln -s b.txt link
        printf '[{"name": "plain"}, {"name": "e\\u0301"}, {"name": "é"}, {"name": "no/slash"}]' >filenames.json
        find . -type f -printf . | wc -c
        """#)
      #expect(made.output == "12\n", "\(made)")
      let script = Bench.repository + "/scripts/corpus.py"
      let said = try await bench.run(["python3", script, bench.source])
      #expect(said.code == 0 && said.errors == "", "\(said)")
      let lines = said.output.split(separator: "\n").map(String.init)
      #expect(lines.count == 3, "\(said)")
      // An empty file cannot be mapped; Foundation cannot say a name that is not UTF-8.
      let facts = "corpus: 12 files of 14 names, 58 reads by 5 ways, 0 different, 1 out of Foundation's reach"
      #expect(lines.first == facts)
      #expect(lines.dropFirst().first == "corpus: 3 of 4 awkward names can be made here, 3 of them different")
      #expect(lines.last?.hasSuffix("15 reads by 5 ways, 0 different") == true)

      let usage = try await bench.run(["python3", script])
      #expect(usage.code == 2 && usage.errors.hasPrefix("usage: "))
      #expect(try bench.mounts.isEmpty)
    }
  }
}
