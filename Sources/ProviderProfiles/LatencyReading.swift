import ProviderModel

// A latency in a profile's file: "800ms", or how it is drawn.

extension ValueReading {
  static func latency(
    _ json: PositionedJSON, _ longest: Span, _ path: String, _ problems: inout ProblemList
  ) -> Latency? {
    switch json.content {
    case .text: return span(json, .zero...longest, path, &problems).map { .fixed($0) }
    case .object(let members):
      return drawn(members, at: json.position, longest, path, &problems)
    default:
      problems.add(
        json.position, path,
        "must be a duration such as \"800ms\", {min, max} or {median, p99}, not \(json.kindName)")
      return nil
    }
  }

  /// - Parameter other: what may stand there beside a duration, for messages.
  static func span(
    _ json: PositionedJSON, _ limits: ClosedRange<Span>, _ path: String, orElse other: String = "",
    _ problems: inout ProblemList
  ) -> Span? {
    let demand = "must be a duration such as \"800ms\" (ns, us, ms, s, m or h)\(other)"
    guard case .text(let text) = json.content else {
      problems.add(json.position, path, "\(demand), not \(json.kindName)")
      return nil
    }
    guard let span = Span(text: text) else {
      problems.add(json.position, path, "\(demand), not \"\(Printable.text(text))\"")
      return nil
    }
    guard limits.contains(span) else {
      let limit =
        span < limits.lowerBound
        ? "at least \(limits.lowerBound.text)" : "at most \(limits.upperBound.text)"
      problems.add(json.position, path, "must be \(limit)\(other), not \(Printable.text(text))")
      return nil
    }
    return span
  }

  private typealias Bound = (position: TextPosition, span: Span?)

  private static func drawn(
    _ members: [PositionedJSON.Member], at position: TextPosition, _ longest: Span, _ path: String,
    _ problems: inout ProblemList
  ) -> Latency? {
    let names = ["min", "max", "median", "p99"]
    var bounds: [String: Bound] = [:]
    var isKnown = true
    for member in members {
      let inner = "\(path).\(member.key)"
      if names.contains(member.key) {
        let span = span(member.value, .zero...longest, inner, &problems)
        bounds[member.key] = (member.value.position, span)
      } else {
        isKnown = false
        let nearest = Nearest.word(to: member.key, among: names).map { "; nearest key \"\(path).\($0)\"" }
        problems.add(member.keyPosition, inner, "is not a key" + (nearest ?? ""))
      }
    }
    // Beside a misspelled key, a missing one is the same mistake told twice.
    guard isKnown else { return nil }
    if bounds.count == 2, let minimum = bounds["min"], let maximum = bounds["max"] {
      return uniform(minimum, maximum, path, &problems)
    }
    if bounds.count == 2, let median = bounds["median"], let p99 = bounds["p99"] {
      return logNormal(median, p99, path, &problems)
    }
    let given = names.filter { bounds[$0] != nil }.joined(separator: ", ")
    problems.add(
      position, path, "has min and max, or median and p99, and here " + (given.isEmpty ? "nothing" : given))
    return nil
  }

  private static func uniform(
    _ minimum: Bound, _ maximum: Bound, _ path: String, _ problems: inout ProblemList
  ) -> Latency? {
    guard let low = minimum.span, let high = maximum.span else { return nil }
    guard low <= high else {
      problems.add(maximum.position, path, "max \(high.text) is less than min \(low.text)")
      return nil
    }
    return .uniform(minimum: low, maximum: high)
  }

  private static func logNormal(
    _ median: Bound, _ p99: Bound, _ path: String, _ problems: inout ProblemList
  ) -> Latency? {
    guard let middle = median.span, let high = p99.span else { return nil }
    guard middle <= high else {
      problems.add(p99.position, path, "p99 \(high.text) is less than median \(middle.text)")
      return nil
    }
    guard middle > .zero else {
      problems.add(median.position, path, "median must be more than 0; for no delay write \"0\" alone")
      return nil
    }
    return .logNormal(median: middle, p99: high)
  }
}
