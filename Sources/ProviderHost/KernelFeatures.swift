import Glibc

/// A kernel's version as far as features depend on it.
package struct KernelVersion: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let major: Int
  package let minor: Int

  package init(_ major: Int, _ minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// Reads "6.1", "6.18.44-generic" and the like.
  package init?(text: String) {
    let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, let major = Int(parts[0]), major >= 0 else { return nil }
    let digits = parts[1].prefix { $0.isASCII && $0.isNumber }
    // "6.1-rc2" is 6.1, but "6.1x" is a slip.
    let rest = parts[1][digits.endIndex...]
    guard let minor = Int(digits), rest.isEmpty || rest.hasPrefix("-") || rest.hasPrefix("+") else {
      return nil
    }
    self.init(major, minor)
  }

  package var description: String { "\(major).\(minor)" }

  package static func < (a: KernelVersion, b: KernelVersion) -> Bool {
    (a.major, a.minor) < (b.major, b.minor)
  }
}

/// A kernel feature that the provider uses where it is there, and what happens where it is not.
package enum KernelFeature: String, CaseIterable, Sendable {
  case readOnlyClone, peerPidfd, directIOMmap, pidfdInfo

  /// The first kernel that has it.
  package var floor: KernelVersion {
    switch self {
    case .readOnlyClone: KernelVersion(5, 12)
    case .peerPidfd: KernelVersion(6, 5)
    case .directIOMmap: KernelVersion(6, 6)
    case .pidfdInfo: KernelVersion(6, 13)
    }
  }

  /// For people: what it is in the kernel's words.
  package var title: String {
    switch self {
    case .readOnlyClone: "read-only clone of a mount (mount_setattr)"
    case .peerPidfd: "descriptor of a socket's peer (SO_PEERPIDFD)"
    case .directIOMmap: "shared maps of direct-I/O files (FUSE_DIRECT_IO_ALLOW_MMAP)"
    case .pidfdInfo: "a thread's process from its descriptor (PIDFD_GET_INFO)"
    }
  }

  package var fallback: String {
    switch self {
    case .readOnlyClone: "the source is opened read-only and with O_NOATIME instead"
    case .peerPidfd: "a client is taken for the process that has its number when it is accepted"
    case .directIOMmap:
      "an open with no read rule goes through the page cache, so its reads are not all seen; with a read rule, "
        + "shared maps of the file fail with ENODEV"
    case .pidfdInfo: "the process of a thread is read from /proc, some microseconds slower at each open"
    }
  }
}

/// Why FAKEPROVIDER_KERNEL cannot be followed, in words for who set it.
package struct KernelMaskProblem: Error, Hashable, Sendable {
  package let message: String
}

/// What this kernel can do, by its version.
package struct KernelFeatures: Hashable, Sendable {
  package let version: KernelVersion

  package init(version: KernelVersion) { self.version = version }

  package func has(_ feature: KernelFeature) -> Bool { version >= feature.floor }

  package var directIOMmap: Bool { has(.directIOMmap) }
  package var pidfdInfo: Bool { has(.pidfdInfo) }
  package var peerPidfd: Bool { has(.peerPidfd) }
  package var readOnlyClone: Bool { has(.readOnlyClone) }

  /// The variable that hides newer features, so that a test meets the fallbacks: FAKEPROVIDER_KERNEL=6.1.
  package static let maskVariable = "FAKEPROVIDER_KERNEL"

  /// This kernel's features, less those that the mask hides.
  /// - Throws: for a mask that is no version; a test that relies on it must not run without it.
  package static func current(environment: [String: String]) throws(KernelMaskProblem) -> KernelFeatures {
    try masked(release: release(), environment: environment)
  }

  /// - Parameter release: as `uname -r` prints it.
  package static func masked(
    release: String, environment: [String: String]
  ) throws(KernelMaskProblem) -> KernelFeatures {
    // A release that cannot be read counts as a kernel without any of the features: the fallbacks always work.
    let real = KernelVersion(text: release) ?? KernelVersion(0, 0)
    guard let text = environment[maskVariable], !text.isEmpty else { return KernelFeatures(version: real) }
    guard let mask = KernelVersion(text: text) else {
      throw KernelMaskProblem(
        message: "\(maskVariable) is \"\(text)\", which is no kernel version; set it to one like 6.1, "
          + "or unset it")
    }
    return KernelFeatures(version: min(real, mask))
  }

  /// As `uname -r` prints it.
  package static func release() -> String {
    var names = utsname()
    guard uname(&names) == 0 else { return "" }
    return withUnsafeBytes(of: &names.release) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
