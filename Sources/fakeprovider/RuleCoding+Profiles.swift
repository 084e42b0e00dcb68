import ProviderControl
import ProviderProfiles

extension RuleCoding {
  /// Rules as profiles write them.
  static let profiles = RuleCoding(
    read: { json throws(RequestProblem) in
      do throws(ProfileProblems) {
        return try ProfileReader.readRule(json, file: "rule")
      } catch {
        throw RequestProblem(error.description)
      }
    },
    write: { Array(ProfileWriter.json($0).utf8) })
}
