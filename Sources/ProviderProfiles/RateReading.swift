import ProviderModel

// Rates and waits: a number with its unit, or the word for none.

extension ValueReading {
  static func bandwidth(
    _ json: PositionedJSON, _ limits: ClosedRange<Int64>, _ path: String, _ problems: inout ProblemList
  ) -> ProfileValue? {
    if case .text("unlimited") = json.content { return .bandwidth(nil) }
    return rate(json, limits, path, orElse: ", or \"unlimited\"", &problems).map { .bandwidth($0) }
  }

  /// - Parameter other: what may stand there beside a rate, for messages.
  static func rate(
    _ json: PositionedJSON, _ limits: ClosedRange<Int64>, _ path: String, orElse other: String = "",
    _ problems: inout ProblemList
  ) -> Int64? {
    let demand = "must be a rate such as \"2MB/s\", \"500kB/s\" or \"1MiB/s\"\(other)"
    guard case .text(let text) = json.content else {
      problems.add(json.position, path, "\(demand), not \(json.kindName)")
      return nil
    }
    guard let rate = ByteRate.bytesPerSecond(text: text) else {
      problems.add(json.position, path, "\(demand), not \"\(Printable.text(text))\"")
      return nil
    }
    guard limits.contains(rate) else {
      let low = ByteRate.text(bytesPerSecond: limits.lowerBound)
      let high = ByteRate.text(bytesPerSecond: limits.upperBound)
      problems.add(
        json.position, path, "must be from \(low) to \(high)\(other), not \(Printable.text(text))")
      return nil
    }
    return rate
  }

  static func patience(
    _ json: PositionedJSON, _ limits: ClosedRange<Span>, _ path: String, _ problems: inout ProblemList
  ) -> ProfileValue? {
    if case .text("never") = json.content { return .patience(nil) }
    return span(json, limits, path, orElse: ", or \"never\"", &problems).map { .patience($0) }
  }
}
