import CLinux
import Glibc
import ProviderModel

/// The folder in an app's container that the document picker copies into.
struct PickerInbox {
  private let target: ContentTarget
  /// Nothing below it is written to: that would be answered by whoever waits for it.
  private let mountpoint: String
  /// Nor below this: the server's content is never changed.
  private let source: SourceStamp

  init(folder: [UInt8], mountpoint: String, source: SourceStamp) {
    target = ContentTarget(
      folder: String(decoding: folder, as: UTF8.self), isFull: "make room there, and pick again")
    self.mountpoint = mountpoint
    self.source = source
  }

  /// - Parameter descriptor: of the content; it is closed here.
  func copy(_ descriptor: Int32, of content: Content, as name: Name) -> Result<MadeCopy, ProviderError> {
    defer { close(descriptor) }
    do throws(ProviderError) {
      let (folder, path) = try openFolder()
      defer { close(folder) }
      let (file, taken) = try create(like: name, in: folder)
      defer { close(file) }
      do throws(ProviderError) {
        _ = try target.copy(descriptor, to: file, name.description)
        try finish(file, descriptor, content)
        var status = stat()
        guard fstat(file, &status) == 0 else {
          throw target.problem("the copy of \(name) cannot be looked at")
        }
        return .success(
          MadeCopy(
            file: path + [0x2F] + taken.bytes, device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
            modified: SourceItem(status).stamp.modified))
      } catch {
        unlinkat(folder, taken.cString, 0)
        return .failure(error)
      }
    } catch {
      return .failure(error)
    }
  }

  static func remove(_ copy: MadeCopy) {
    let path = copy.file.map(CChar.init(bitPattern:)) + [0]
    var status = stat()
    // Another file of that name is somebody else's, and what the app has written to is its own work.
    guard lstat(path, &status) == 0, UInt64(status.st_dev) == copy.device,
      UInt64(status.st_ino) == copy.inode,
      SourceItem(status).stamp.modified == copy.modified
    else { return }
    unlink(path)
  }

  // MARK: -

  private func openFolder() throws(ProviderError) -> (Int32, [UInt8]) {
    guard target.folder.hasPrefix("/") else {
      throw .content(.EINVAL, "the inbox \(target.folder) is no absolute path")
    }
    // Before a folder is made there, and again for where links lead.
    if let slash = target.folder.lastIndex(of: "/"),
      let parent = realpath(String(target.folder[...slash]), nil)
    {
      defer { free(parent) }
      try refuse(String(cString: parent))
    }
    if mkdir(target.folder, 0o700) != 0, errno != EEXIST {
      throw target.problem("the inbox \(target.folder) cannot be made")
    }
    guard let resolved = realpath(target.folder, nil) else {
      throw target.problem("the inbox \(target.folder) cannot be reached")
    }
    defer { free(resolved) }
    try refuse(String(cString: resolved))
    let folder = clinux_openat(AT_FDCWD, resolved, O_RDONLY | O_DIRECTORY)
    guard folder >= 0 else { throw target.problem("the inbox \(target.folder) cannot be opened") }
    let length = strlen(resolved)
    return (folder, (0..<length).map { UInt8(bitPattern: resolved[$0]) })
  }

  /// - Parameter place: absolute and without links.
  private func refuse(_ place: String) throws(ProviderError) {
    guard place != mountpoint, !place.hasPrefix(mountpoint + "/") else {
      throw .content(
        .EINVAL, "the inbox \(target.folder) lies in this very provider; an app's own folder does not")
    }
    var around = place[...]
    while true {
      var status = stat()
      if stat(around.isEmpty ? "/" : String(around), &status) == 0,
        UInt64(status.st_dev) == source.device, UInt64(status.st_ino) == source.inode
      {
        throw .content(
          .EINVAL,
          "the inbox \(target.folder) lies in the source folder, which is never changed; choose another place"
        )
      }
      guard let slash = around.lastIndex(of: "/") else { return }
      around = around[..<slash]
    }
  }

  /// "a.pdf", "a-2.pdf", "a-3.pdf": the first one that is free.
  private func create(like name: Name, in folder: Int32) throws(ProviderError) -> (Int32, Name) {
    var number = 1
    while true {
      let candidate = number == 1 ? name : name.numbered(number, separator: "-")
      let file = clinux_create_new(folder, candidate.cString)
      if file >= 0 { return (file, candidate) }
      guard errno == EEXIST, number < 10_000 else {
        throw target.problem("\(candidate) cannot be made in the inbox \(target.folder)")
      }
      number += 1
    }
  }

  /// The copy has the times of the original, which must still be the same.
  private func finish(_ file: Int32, _ source: Int32, _ content: Content) throws(ProviderError) {
    if content.reference.blob == nil {
      var status = stat()
      guard fstat(source, &status) == 0, SourceItem(status).stamp == content.stamp else {
        throw .sourceChanged
      }
    }
    let modified = content.stamp.modified
    let time = timespec(tv_sec: Int(modified.seconds), tv_nsec: Int(modified.nanoseconds))
    guard futimens(file, [time, time]) == 0 else {
      throw target.problem("the time of the copy cannot be set")
    }
  }
}
