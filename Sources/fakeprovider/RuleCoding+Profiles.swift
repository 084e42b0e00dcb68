import ProviderControl
import ProviderModel
import ProviderProfiles

extension Profile {
  /// The first rule or timed event that replaces an item, which nothing does yet.
  var usesReplacement: String? {
    if let rule = rules.first(where: { $0.effect.changes.contains(where: \.isReplacement) }) {
      return "the rule \"\(rule.name)\""
    }
    return events.first { $0.change.isReplacement }.map { "the timed event at \($0.at.text)" }
  }
}

extension RuleChange {
  fileprivate var isReplacement: Bool { if case .replace = self { true } else { false } }
}

extension RuleCoding {
  /// Rules as profiles write them; one that cannot happen on a provider of this kind is refused.
  static func profiles(on kind: ProviderKind? = nil) -> RuleCoding {
    RuleCoding(
      read: { json throws(RequestProblem) in
        let rule: Rule
        do throws(ProfileProblems) {
          rule = try ProfileReader.readRule(json, file: "rule", kind: kind)
        } catch {
          throw RequestProblem(error.description)
        }
        if rule.effect.changes.contains(where: \.isReplacement) {
          throw RequestProblem("rule: the effect \"replace\" is read, and this version cannot do it yet")
        }
        return rule
      },
      write: { Array(ProfileWriter.json($0).utf8) })
  }
}
