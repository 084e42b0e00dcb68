import ProviderControl
import ProviderModel
import ProviderProfiles

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
        return rule
      },
      write: { Array(ProfileWriter.json($0).utf8) })
  }
}
