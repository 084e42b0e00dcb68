import CLinux
import Glibc
import ProviderControl
import ProviderModel

/// A folder of the machine's that contents are written into, and what is said when that fails.
struct ContentTarget {
  let folder: String
  /// What to do when there is no room.
  let isFull: String

  /// - Parameter name: of the source, for people.
  func copy(_ source: Int32, to file: Int32, _ name: String) throws(ProviderError) -> Int64 {
    var copied: Int64 = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = pread(source, &buffer, buffer.count, Int(copied))
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw problem("\(name) cannot be read") }
      if count == 0 { return copied }
      let problem = buffer.withUnsafeBytes {
        append(UnsafeRawBufferPointer(rebasing: $0[..<count]), to: file)
      }
      if let problem { throw problem }
      copied += Int64(count)
    }
  }

  func append(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> ProviderError? {
    var rest = bytes
    while !rest.isEmpty {
      let count = Glibc.write(file, rest.baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { return problem("the content cannot be kept in \(folder)") }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return nil
  }

  /// Reads `errno`.
  func problem(_ what: String) -> ProviderError {
    let number = errno
    let hint =
      switch number {
      case ENOSPC, EDQUOT: "; \(isFull)"
      case EACCES, EPERM: "; the provider is user \(geteuid())"
      default: ""
      }
    return .content(ErrnoName(number: number), "\(what): \(String(cString: strerror(number)))\(hint)")
  }
}
