package enum Release {
  /// CHANGELOG.md says what is in it.
  package static let version = "0.1.0"
}
