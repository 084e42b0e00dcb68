import FoundationEssentials
import Glibc

/// Data on standard output, words on standard error.
enum Console {
  /// Ends the process when standard output cannot take it: a script must not mistake half an answer for a whole.
  static func out(_ text: String) {
    if let failure = write(text, to: STDOUT_FILENO) {
      err("fakeprovider: cannot write to standard output: \(String(cString: strerror(failure)))\n")
      exit(1)
    }
  }

  static func err(_ text: String) { _ = write(text, to: STDERR_FILENO) }

  static func json(_ value: some Encodable) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      out(String(decoding: try encoder.encode(value), as: UTF8.self) + "\n")
    } catch {
      err("fakeprovider: cannot put the answer as JSON: \(error)\n")
      exit(1)
    }
  }

  /// - Returns: the errno of the write that failed, or nil.
  private static func write(_ text: String, to descriptor: Int32) -> Int32? {
    var left = Array(text.utf8)[...]
    while !left.isEmpty {
      let count = left.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        let failure = errno
        if failure == EAGAIN {
          // Somebody made the terminal or pipe non-blocking: wait until it takes more.
          var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&ready, 1, -1)
        } else if failure != EINTR {
          return failure
        }
        continue
      }
      left = left.dropFirst(count)
    }
    return nil
  }
}
