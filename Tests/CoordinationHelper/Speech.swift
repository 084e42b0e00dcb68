import Foundation
import Glibc

/// One line, whole: others may speak at the same moment.
func say(_ words: String...) {
  let bytes = Array((words.joined(separator: " ") + "\n").utf8)
  _ = write(1, bytes, bytes.count)
}

/// A Cocoa error's code and its cause, as in "257 over EPERM".
func describe(_ error: any Error) -> String {
  let error = error as NSError
  let domain = error.domain == NSCocoaErrorDomain ? "" : "\(error.domain) "
  guard let cause = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map({ $0 as NSError }) else {
    return "\(domain)\(error.code)"
  }
  return "\(domain)\(error.code) over \(errnoName(Int32(cause.code)))"
}

func errnoName(_ number: Int32) -> String {
  switch number {
  case EPERM: "EPERM"
  case ENOENT: "ENOENT"
  case EIO: "EIO"
  default: "\(number)"
  }
}
