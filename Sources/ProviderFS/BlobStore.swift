import CLinux
import Glibc
import ProviderControl
import ProviderHost
import ProviderModel
import Synchronization

/// Bytes that did not come from the source: files without a name in the temporary folder ($TMPDIR, else /tmp),
/// which are gone with the provider.
final class BlobStore: Sendable {
  private let files = Mutex<[BlobID: Int32]>([:])
  private let target: ContentTarget
  /// Nothing below it is read: that would be answered by whoever waits for it.
  private let mountpoint: String

  init(mountpoint: String) {
    self.mountpoint = mountpoint
    let folder = getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    target = ContentTarget(
      folder: folder, isFull: "set TMPDIR to a folder with room and mount again")
  }

  /// Keeps a content, after all that `base` has if there is one.
  /// - Parameter base: an open file of the source or of a blob, which is closed here.
  func make(_ id: BlobID, _ content: NewContent, base: Int32?) -> Result<MadeBlob, ProviderError> {
    defer { if let base { close(base) } }
    let file = clinux_temporary_file(target.folder)
    guard file >= 0 else { return .failure(target.problem("no file can be made in \(target.folder)")) }
    do {
      var size: Int64 = 0
      if let base { size += try target.copy(base, to: file, "what was there before") }
      size += try write(content.bytes, to: file)
      files.withLock { $0[id] = file }
      return .success(MadeBlob(size: size))
    } catch {
      close(file)
      return .failure(error)
    }
  }

  /// - Returns: a descriptor of its own, which stays when the blob is dropped.
  func open(_ id: BlobID) -> Result<Int32, ErrnoName> {
    files.withLock { files in
      guard let file = files[id] else { return .failure(.EBADF) }
      let duplicate = fcntl(file, F_DUPFD_CLOEXEC, 0)
      return duplicate < 0 ? .failure(ErrnoName(number: errno)) : .success(duplicate)
    }
  }

  func drop(_ id: BlobID) {
    if let file = files.withLock({ $0.removeValue(forKey: id) }) { close(file) }
  }

  // MARK: -

  private func write(_ bytes: NewContent.Bytes, to file: Int32) throws(ProviderError) -> Int64 {
    switch bytes {
    case .text(let text):
      if let problem = text.withUnsafeBytes({ target.append($0, to: file) }) { throw problem }
      return Int64(text.count)
    case .file(let path):
      let source = try openFile(path)
      defer { close(source) }
      return try target.copy(source, to: file, String(decoding: path, as: UTF8.self))
    case .synthetic(let size, let seed):
      try writeSynthetic(size, seed, to: file)
      return size
    }
  }

  /// A file of the client's: it belongs to the same user, or the client is root.
  private func openFile(_ path: [UInt8]) throws(ProviderError) -> Int32 {
    let name = String(decoding: path, as: UTF8.self)
    guard let resolved = realpath(path.map(CChar.init(bitPattern:)) + [0], nil) else {
      throw target.problem("\(name) cannot be read")
    }
    defer { free(resolved) }
    let real = String(cString: resolved)
    guard real != mountpoint, !real.hasPrefix(mountpoint + "/") else {
      throw .content(.EINVAL, "\(name) lies in this very provider; copy it to another place first")
    }
    // Not blocking: a FIFO without a writer would be waited for.
    let file = clinux_openat(AT_FDCWD, resolved, O_RDONLY | O_NONBLOCK)
    guard file >= 0 else { throw target.problem("\(name) cannot be read") }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(file)
      throw .content(.EINVAL, "\(name) is no file with content")
    }
    return file
  }

  private func writeSynthetic(_ size: Int64, _ seed: UInt64, to file: Int32) throws(ProviderError) {
    let words = 1 << 17
    var buffer = [UInt64](repeating: 0, count: words)
    var written: Int64 = 0
    while written < size {
      for index in 0..<words {
        buffer[index] =
          SyntheticContent.word(seed: seed, index: UInt64(written / 8) + UInt64(index)).littleEndian
      }
      let count = Int(min(size - written, Int64(words * 8)))
      let problem = buffer.withUnsafeBytes {
        target.append(UnsafeRawBufferPointer(rebasing: $0[..<count]), to: file)
      }
      if let problem { throw problem }
      written += Int64(count)
    }
  }
}
