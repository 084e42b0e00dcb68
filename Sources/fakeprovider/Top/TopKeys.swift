import ProviderControl
import ProviderModel

enum TopKey: Hashable, Sendable {
  case up, down, left, right, enter, escape, backspace
  case character(Character)
}

/// From a terminal's bytes to keys. What is not whole yet waits for the rest.
struct TopKeyReader: Sendable {
  private var pending: [UInt8] = []

  /// - Returns: the keys that `bytes` complete. An escape that ends them is the key of its own.
  mutating func keys(_ bytes: [UInt8]) -> [TopKey] {
    pending += bytes
    var keys: [TopKey] = []
    while let first = pending.first {
      if first == 0x1B {
        guard let length = escapeLength else {
          // No terminal pauses in the middle of a sequence.
          keys.append(.escape)
          pending = []
          break
        }
        if let key = escape(Array(pending[..<length])) { keys.append(key) }
        pending.removeFirst(length)
        continue
      }
      guard let length = TopKeyReader.scalarLength(first) else {
        pending.removeFirst()
        continue
      }
      if pending.count < length { break }
      if let key = TopKeyReader.key(Array(pending[..<length])) { keys.append(key) }
      pending.removeFirst(length)
    }
    return keys
  }

  /// Of the sequence that `pending` begins with; nil for a lone escape.
  private var escapeLength: Int? {
    guard pending.count > 1 else { return nil }
    guard pending[1] == 0x5B || pending[1] == 0x4F else { return 1 }
    let end = pending[2...].firstIndex { (0x40...0x7E).contains($0) }
    return end.map { $0 + 1 }
  }

  private func escape(_ sequence: [UInt8]) -> TopKey? {
    if sequence.count == 1 { return .escape }
    switch sequence.last {
    case 0x41: return .up
    case 0x42: return .down
    case 0x43: return .right
    case 0x44: return .left
    default: return nil
    }
  }

  private static func key(_ scalar: [UInt8]) -> TopKey? {
    switch scalar[0] {
    case 0x0A, 0x0D: return .enter
    case 0x08, 0x7F: return .backspace
    case ..<0x20: return nil
    default: return String(validating: scalar, as: UTF8.self)?.first.map { .character($0) }
    }
  }

  private static func scalarLength(_ first: UInt8) -> Int? {
    switch first {
    case ..<0x80: 1
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: nil
    }
  }
}

/// What a key wants done.
enum TopAction: Hashable, Sendable {
  case quit
  case send([RequestLine])
  /// Another folder is looked into.
  case refresh
}

extension TopModel {
  mutating func press(_ key: TopKey) -> TopAction? {
    switch mode {
    case .list: return pressInList(key)
    case .help:
      mode = .list
      return key == .character("q") ? .quit : nil
    case .choosing(let path): return choose(key, path)
    case .prompt(let question, let text): return type(key, question, text)
    }
  }

  private mutating func pressInList(_ key: TopKey) -> TopAction? {
    message = ""
    switch key {
    case .up, .character("k"): moveSelection(by: -1)
    case .down, .character("j"): moveSelection(by: 1)
    case .enter, .right: return enterFolder()
    case .left, .backspace: return leaveFolder()
    case .character("q"): return .quit
    case .character("?"): mode = .help
    case .character("h"): withSelectedPath { $0.mode = .choosing($1) }
    case .character("r"): release()
    case .character("v"): return sendSelected("revoke")
    case .character("e"): return sendSelected("evict")
    case .character("d"):
      let action = sendSelected("download")
      if case .send(let requests) = action { message = "\(requests[0].path?.text ?? ""): the download began" }
      return action
    case .character("a"): mode = .prompt(.advance, text: "")
    case .character("n"): return .send([TopModel.advanceToNext])
    case .escape, .character: break
    }
    return nil
  }

  // MARK: Folders

  private mutating func enterFolder() -> TopAction? {
    guard let row = selectedRow, row.isFolder, let path = row.path else { return nil }
    folder = path
    return .refresh
  }

  private mutating func leaveFolder() -> TopAction? {
    guard folder.text != "." else { return nil }
    let left = folder
    let parent = folder.bytes.lastIndex(of: 0x2F).map { Array(folder.bytes[..<$0]) } ?? Array(".".utf8)
    folder = WirePath(bytes: parent)
    selection = .item(left)
    return .refresh
  }

  // MARK: Requests

  private mutating func withSelectedPath(_ body: (inout TopModel, WirePath) -> Void) {
    if let path = selectedRow?.path { body(&self, path) } else { message = "select an item first" }
  }

  private mutating func sendSelected(_ verb: String) -> TopAction? {
    var action: TopAction?
    withSelectedPath { _, path in
      var request = RequestLine(verb: verb)
      request.path = path
      action = .send([request])
    }
    return action
  }

  private static let advanceToNext: RequestLine = {
    var request = RequestLine(verb: "clock")
    request.action = "advanceToNext"
    return request
  }()

  private mutating func release() {
    if let hold = selectedRow?.hold {
      mode = .prompt(.error(hold: hold), text: "")
    } else if snapshot?.overview.holds.isEmpty == false {
      mode = .prompt(.releaseAll, text: "")
    } else {
      message = "nothing is held"
    }
  }

  private mutating func choose(_ key: TopKey, _ path: WirePath) -> TopAction? {
    mode = .list
    switch key {
    case .character("o"): return .send([TopModel.hold("open", path, at: nil)])
    case .character("r"): mode = .prompt(.point(of: "read", path), text: "")
    case .character("d"): mode = .prompt(.point(of: "download", path), text: "")
    default: break
    }
    return nil
  }

  private static func hold(_ operation: String, _ path: WirePath, at: String?) -> RequestLine {
    var request = RequestLine(verb: "hold")
    request.operation = operation
    request.path = path
    request.at = at
    return request
  }

  // MARK: The bottom line

  private mutating func type(_ key: TopKey, _ question: Question, _ text: String) -> TopAction? {
    switch key {
    case .escape: mode = .list
    case .backspace: mode = .prompt(question, text: String(text.dropLast()))
    case .character(let character) where text.count < 40:
      mode = .prompt(question, text: text + String(character))
    case .enter:
      mode = .list
      return answer(question, text.split(separator: " ").joined(separator: " "))
    default: break
    }
    return nil
  }

  private mutating func answer(_ question: Question, _ text: String) -> TopAction? {
    switch question {
    case .point(let operation, let path):
      return .send([TopModel.hold(operation, path, at: text.isEmpty ? nil : text)])
    case .error(let hold):
      return .send([TopModel.release(hold, error: text.isEmpty ? nil : text)])
    case .releaseAll:
      guard text == "y", let holds = snapshot?.overview.holds else { return nil }
      return .send(holds.map { TopModel.release($0.name, error: nil) })
    case .advance:
      if text == "n" { return .send([TopModel.advanceToNext]) }
      guard !text.isEmpty else { return nil }
      var request = RequestLine(verb: "clock")
      request.action = "advance"
      request.value = text
      return .send([request])
    }
  }

  private static func release(_ hold: String, error: String?) -> RequestLine {
    var request = RequestLine(verb: "release")
    request.name = hold
    request.error = error
    return request
  }
}
