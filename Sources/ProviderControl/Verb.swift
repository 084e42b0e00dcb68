import ProviderModel

/// The protocol's verbs, and the nearest one to a slip of the keyboard.
package enum Verb {
  package static let all = [
    "app", "cancel", "clock", "coordinate", "device", "download", "events", "evict", "explain", "finish",
    "hello", "hold",
    "holds",
    "pick", "provider", "release", "remote", "restore", "revoke", "rule", "start", "status", "stop", "top",
    "unmount", "wait",
  ]

  package static func nearest(to word: String) -> String { Nearest.word(to: word, among: all) ?? "status" }
}
