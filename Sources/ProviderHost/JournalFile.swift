import CLinux
import Glibc
import ProviderControl
import ProviderModel

/// The file behind the journal; only the journal's thread touches it.
final class JournalFile {
  /// The start of a line now and then, so that nobody has to read from the beginning.
  private struct Mark {
    var offset: Int64
    var sequence: UInt64
  }
  private static let markEvery_bytes: Int64 = 64 << 10

  private var descriptor: Int32
  private let path: String?
  private let limit_bytes: Int64
  private(set) var length: Int64 = 0
  private var marks: [Mark] = []
  /// The last event that the file accounts for.
  private(set) var last: UInt64 = 0
  /// The last event that it was given; a later one than ``last`` where the disk is full.
  private(set) var given: (sequence: UInt64, at: Instant) = (0, .start)
  /// How far readers' offsets have moved, all in all.
  private(set) var cut_bytes: Int64 = 0
  /// The length of the notice that a cut file begins with.
  private var head_bytes: Int64 = 0

  init(path: String?, limit_bytes: Int64) throws(SystemError) {
    self.path = path
    self.limit_bytes = limit_bytes
    descriptor = try JournalFile.open(path)
  }

  private static func open(_ path: String?) throws(SystemError) -> Int32 {
    let descriptor: Int32
    if let path {
      descriptor = clinux_create(path)
    } else {
      var name = Array("/tmp/fakeprovider-journal-XXXXXX".utf8CString)
      descriptor = mkstemp(&name)
      // Without a name from the start: nothing is left behind however the provider ends.
      if descriptor >= 0 {
        unlink(name)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      }
    }
    if descriptor < 0 { throw SystemError("cannot make the journal \(path ?? "in /tmp")") }
    return descriptor
  }

  /// Where an event is missing (there was no room on the disk, it was too long for a line), a `dropped` event
  /// says so before the next one.
  func append(_ events: [Event]) {
    var bytes: [UInt8] = []
    var ends: [(bytes: Int, last: UInt64)] = [(0, last)]
    func add(_ event: Event, from first: UInt64) {
      let line = EventLine(event).json + [0x0A]
      guard line.count <= LineCoding.limit_bytes + 1 else { return }
      let start = length + Int64(bytes.count)
      if start - (marks.last?.offset ?? -JournalFile.markEvery_bytes) >= JournalFile.markEvery_bytes {
        marks.append(Mark(offset: start, sequence: first))
      }
      bytes += line
      last = event.sequence
      ends.append((bytes.count, last))
    }
    for event in events {
      let first = event.sequence - (event.dropped ?? 1) + 1
      if first > last + 1 {
        var notice = Event(.dropped)
        notice.sequence = first - 1
        notice.at = event.at
        notice.dropped = first - 1 - last
        add(notice, from: last + 1)
      }
      add(event, from: first)
      given = (event.sequence, event.at)
    }
    let taken = Int(write(bytes))
    if taken < bytes.count {
      last = ends.last { $0.bytes <= taken }?.last ?? last
      marks.removeAll { $0.offset >= length }
    }
    if length > limit_bytes { cut() }
  }

  /// Where a reader goes on; one whose place was cut away gets the notice first.
  func offset(ofPosition position: Int64) -> Int64 {
    let offset = position - cut_bytes
    return offset < head_bytes ? 0 : offset
  }

  /// Where the events after `sequence` begin, or somewhat before.
  func offset(after sequence: UInt64) -> Int64 {
    marks.last { $0.sequence <= sequence }?.offset ?? 0
  }

  /// Whole lines from `offset` on, about 64 KiB of them, or one that is longer; none if they cannot be read.
  func lines(from offset: Int64) -> [ArraySlice<UInt8>] {
    var size = min(length - offset, 64 << 10)
    while true {
      var buffer = [UInt8](repeating: 0, count: Int(size))
      let count = buffer.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, Int(offset)) }
      guard count > 0 else { return [] }
      if let end = buffer[..<count].lastIndex(of: 0x0A) { return buffer[..<end].split(separator: 0x0A) }
      if size == length - offset { return [] }
      size = min(length - offset, size * 2)
    }
  }

  /// Drops the older half. What is left begins with a `dropped` event.
  private func cut() {
    guard let kept = marks.first(where: { $0.offset >= length / 2 }), let first = marks.first,
      let fresh = try? JournalFile.open(path.map { $0 + ".new" })
    else { return }
    var notice = Event(.dropped)
    notice.sequence = kept.sequence - 1
    notice.dropped = kept.sequence - first.sequence
    let head = EventLine(notice).json + [0x0A]
    let (old, oldLength) = (descriptor, length)
    descriptor = fresh
    length = 0
    head_bytes = write(head)
    var offset = kept.offset
    while offset < oldLength {
      var buffer = [UInt8](repeating: 0, count: Int(min(oldLength - offset, 1 << 20)))
      let count = buffer.withUnsafeMutableBytes { pread(old, $0.baseAddress, $0.count, Int(offset)) }
      guard count > 0 else { break }
      // What it took were whole lines: the rest of the last one is read again.
      let taken = write(Array(buffer[..<count]))
      guard taken > 0 else { break }
      offset += taken
    }
    close(old)
    if let path { rename(path + ".new", path) }
    let moved = kept.offset - head_bytes
    cut_bytes += moved
    marks =
      [Mark(offset: 0, sequence: first.sequence)]
      + marks.filter { $0.offset >= kept.offset }.map {
        Mark(offset: $0.offset - moved, sequence: $0.sequence)
      }
  }

  /// - Returns: the bytes that are in the file now: whole lines.
  @discardableResult
  private func write(_ bytes: [UInt8]) -> Int64 {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress, $0.count, Int(length) + written)
      }
      if count < 0, errno == EINTR { continue }
      // A full disk: what could not be written is lost, the provider goes on.
      guard count > 0 else { break }
      written += count
    }
    // Never half a line: what follows would be unreadable, and the file may end here.
    let whole = bytes[..<written].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    length += Int64(whole)
    if written > whole { ftruncate(descriptor, Int(length)) }
    return Int64(whole)
  }
}
