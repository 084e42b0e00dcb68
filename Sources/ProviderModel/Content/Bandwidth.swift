/// What may arrive in a second, and how it is divided.
struct Bandwidth {
  /// Bytes per second, shared; nil: no limit.
  var shared: Int64?
  var slowStart: Profile.SlowStart?
  /// While the provider is throttled.
  var throttle: Int64?

  /// The least of what applies at `moment`.
  func limit(at moment: Instant) -> Int64? {
    let slow = slowStart.flatMap { moment < .start + $0.length ? $0.bandwidth : nil }
    return [shared, slow, throttle].compactMap { $0 }.min()
  }

  /// When it changes by itself, after `moment`.
  func change(after moment: Instant) -> Instant? {
    guard let slowStart else { return nil }
    let end = .start + slowStart.length
    return end > moment ? end : nil
  }

  /// Each gets an even share, or its own limit where that is less; what it leaves goes to the others.
  static func divided(_ bandwidth: Int64?, among limits: [Int64?]) -> [Transfer.Rate] {
    guard let bandwidth else {
      return limits.map { $0.map { .limited(bytes: $0, sharers: 1) } ?? .unlimited }
    }
    var rates = [Transfer.Rate](repeating: .nothing, count: limits.count)
    var left = bandwidth
    var sharing = limits.indices.sorted { (limits[$0] ?? .max, $0) < (limits[$1] ?? .max, $1) }[...]
    while let least = sharing.first, let limit = limits[least],
      Int128(limit) * Int128(sharing.count) <= Int128(left)
    {
      rates[least] = .limited(bytes: limit, sharers: 1)
      left -= limit
      sharing.removeFirst()
    }
    for index in sharing { rates[index] = .limited(bytes: left, sharers: Int64(sharing.count)) }
    return rates
  }
}
