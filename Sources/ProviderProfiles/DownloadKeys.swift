package import ProviderModel

// The rows of what befalls downloads on their way.

enum SlowStartKeys {
  static let bandwidth = ProfileKey(
    "download.slowStart.bandwidth", .rate(1...100_000_000_000), isRequired: true,
    summary: "How fast content arrives at first, shared; never faster than download.bandwidth.",
    get: { $0.download.slowStart.map { .rate($0.bandwidth) } },
    set: { value, profile in
      guard case .rate(let rate) = value else { return false }
      let length = profile.download.slowStart?.length ?? .zero
      profile.download.slowStart = Profile.SlowStart(bandwidth: rate, length: length)
      return true
    })

  static let length = ProfileKey(
    "download.slowStart.for", .span(ProfileKeys.someTime), isRequired: true,
    summary: "For how long, in provider time since the start.",
    get: { $0.download.slowStart.map { .span($0.length) } },
    set: { value, profile in
      guard case .span(let span) = value else { return false }
      let bandwidth = profile.download.slowStart?.bandwidth ?? 1
      profile.download.slowStart = Profile.SlowStart(bandwidth: bandwidth, length: span)
      return true
    })
}

package enum StallKeys {
  package static let table = KeyTable<Profile.Stall>(
    noun: "stall", keys: rows, groups: [], make: { Profile.Stall(at: .bytes(0), length: nil) })

  private static let rows: [Key<Profile.Stall>] = [
    .row(
      "at", .point, \.at, isRequired: true, summary: "Where in the file.",
      wrap: { .point($0) }, unwrap: { if case .point(let point) = $0 { point } else { nil } }),
    .patience(
      "for", \.length, ProfileKeys.someTime, isRequired: true,
      summary: "How long it takes; never: it does not go on again."),
    .row(
      "bandwidth", .rate(1...100_000_000_000), \.bandwidth,
      summary: "How fast content arrives meanwhile; else none does.",
      wrap: { $0.map { .rate($0) } }, unwrap: { if case .rate(let rate) = $0 { .some(rate) } else { nil } }),
    .row(
      "path", .glob(bytes: 1...1_024), \.path, summary: "Pattern of the items' paths; else all.",
      wrap: { $0.map { .glob($0) } }, unwrap: { if case .glob(let glob) = $0 { .some(glob) } else { nil } }),
  ]
}
