#if os(Linux)
  public import Foundation

  /// Where an error is put, or nil to have none; `&error`, `nil` and a stored pointer are all accepted.
  ///
  /// On Apple platforms an `AutoreleasingUnsafeMutablePointer`, which Linux does not have.
  /// - Source: <https://developer.apple.com/documentation/foundation/nserrorpointer>
  public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
#endif
