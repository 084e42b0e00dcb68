import Foundation

// StageDocument PATH… : stages each picked document in TMPDIR and says where.

func complain(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

let arguments = CommandLine.arguments.dropFirst()
guard let first = arguments.first, !first.hasPrefix("-") else {
  complain("usage: StageDocument PATH…\n  PATH: a path, or the file URL that 'fakeprovider pick' prints")
  exit(2)
}

var status: Int32 = 0
for argument in arguments {
  let picked = argument.hasPrefix("file:") ? URL(string: argument) : URL(fileURLWithPath: argument)
  do {
    guard let picked else { throw CocoaError(.fileReadInvalidFileName) }
    let staged = try stagePickedPDF(picked)
    let size = try staged.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    print("staged \(staged.path) (\(size) bytes)")
  } catch {
    status = 1
    let error = error as NSError
    let underlying = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError }
    let cause = underlying.map { " (\($0.domain) \($0.code))" } ?? ""
    complain("\(argument): \(error.domain) \(error.code)\(cause): \(error.localizedDescription)")
  }
}
exit(status)
