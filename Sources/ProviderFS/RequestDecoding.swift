import CFuse
import Glibc
import ProviderModel

/// From the fence's request to the model's.
enum RequestDecoding {
  enum Decoded {
    case request(Operation)
    case notice(KernelNotice)
    /// The kernel passed a name that cannot be one here.
    case nameTooLong
  }

  static func decode(_ op: cfuse_op) -> Decoded {
    let node = NodeID(rawValue: op.node)
    let handle = HandleID(op.handle)
    switch op.opcode {
    case CFUSE_LOOKUP:
      guard let name = Name(bytes(of: op)) else { return .nameTooLong }
      return .request(.lookup(parent: node, name: name))
    case CFUSE_FORGET: return .notice(.forget(forgotten(op)))
    case CFUSE_GETATTR: return .request(.getAttributes(node))
    case CFUSE_READLINK: return .request(.readLink(node))
    case CFUSE_OPEN: return .request(.open(node, writes: writes(op.flags)))
    case CFUSE_READ:
      return .request(.read(handle, offset: op.offset_bytes, length: Int64(clamping: op.length_bytes)))
    case CFUSE_RELEASE, CFUSE_RELEASEDIR: return .notice(.release(handle))
    case CFUSE_OPENDIR: return .request(.openDirectory(node))
    case CFUSE_READDIR, CFUSE_READDIRPLUS:
      return .request(
        .readDirectory(
          handle, cookie: op.offset_bytes, capacity: Int(clamping: op.length_bytes),
          plus: op.opcode == CFUSE_READDIRPLUS))
    case CFUSE_STATFS: return .request(.statistics)
    case CFUSE_GETXATTR:
      return .request(.getAttribute(node, name: bytes(of: op), capacity: Int(clamping: op.length_bytes)))
    case CFUSE_LISTXATTR: return .request(.listAttributes(node, capacity: Int(clamping: op.length_bytes)))
    case CFUSE_SETXATTR:
      let value = UnsafeRawBufferPointer(start: op.value, count: op.value == nil ? 0 : op.value_length)
      return .request(.setAttribute(node, name: bytes(of: op), value: Array(value)))
    case CFUSE_FSYNC: return .request(.synchronize(handle))
    default: return change(op, node)
    }
  }

  private static func change(_ op: cfuse_op, _ node: NodeID) -> Decoded {
    let change: KernelChange
    switch op.opcode {
    case CFUSE_MKNOD, CFUSE_MKDIR, CFUSE_UNLINK, CFUSE_RMDIR, CFUSE_RENAME:
      guard let name = Name(bytes(of: op.name)) else { return .nameTooLong }
      switch op.opcode {
      case CFUSE_MKNOD: change = .makeNode(name)
      case CFUSE_MKDIR: change = .makeDirectory(name)
      case CFUSE_UNLINK: change = .unlink(name)
      case CFUSE_RMDIR: change = .removeDirectory(name)
      // An exchange, and the like.
      case _ where op.flags != 0: change = .other("rename")
      default:
        guard let newName = Name(bytes(of: op.new_name)) else { return .nameTooLong }
        change = .rename(name, to: NodeID(rawValue: op.new_node), newName)
      }
    case CFUSE_SETATTR: change = .setAttributes
    case CFUSE_FALLOCATE: change = .allocate(HandleID(op.handle))
    default: change = .other(word(for: op.opcode))
    }
    return .request(.change(node, change))
  }

  private static func bytes(of op: cfuse_op) -> [UInt8] { bytes(of: op.name) }

  private static func bytes(of name: UnsafePointer<CChar>?) -> [UInt8] {
    guard let name else { return [] }
    return UnsafeRawBufferPointer(start: name, count: strlen(name)).map { $0 }
  }

  private static func forgotten(_ op: cfuse_op) -> [Forgotten] {
    UnsafeBufferPointer(start: op.forgotten, count: op.forgotten_count).map {
      Forgotten(node: NodeID(rawValue: $0.node), lookups: $0.count)
    }
  }

  /// O_WRONLY or O_RDWR, or O_TRUNC.
  private static func writes(_ flags: UInt32) -> Bool { flags & 0o3 != 0 || flags & 0o1000 != 0 }

  private static func word(for opcode: cfuse_opcode) -> String {
    switch opcode {
    case CFUSE_SYMLINK: "symlink"
    case CFUSE_LINK: "link"
    case CFUSE_CREATE: "create"
    case CFUSE_WRITE: "write"
    case CFUSE_REMOVEXATTR: "removexattr"
    default: "operation \(opcode.rawValue)"
    }
  }
}
