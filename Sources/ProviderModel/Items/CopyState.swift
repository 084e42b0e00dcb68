package enum ItemKind: UInt8, Sendable, CaseIterable {
  case file, directory, symbolicLink, fifo, socket, characterDevice, blockDevice

  package var name: String {
    switch self {
    case .file: "file"
    case .directory: "directory"
    case .symbolicLink: "symbolicLink"
    case .fifo: "fifo"
    case .socket: "socket"
    case .characterDevice: "characterDevice"
    case .blockDevice: "blockDevice"
    }
  }
}

/// What this machine has of an item's content.
package enum CopyState: UInt8, Sendable, CaseIterable {
  /// Metadata only.
  case dataless
  case downloading
  /// All of the current version.
  case local
  /// All of an older version.
  case stale

  package var name: String {
    switch self {
    case .dataless: "dataless"
    case .downloading: "downloading"
    case .local: "local"
    case .stale: "stale"
    }
  }

  package init?(name: String) {
    guard let state = CopyState.allCases.first(where: { $0.name == name }) else { return nil }
    self = state
  }
}

/// What of the local changes the server has.
package enum UploadState: UInt8, Sendable, CaseIterable {
  case clean, dirty, uploading

  package var name: String {
    switch self {
    case .clean: "clean"
    case .dirty: "dirty"
    case .uploading: "uploading"
    }
  }
}
