package import ProviderModel

// From the bytes of a file to a profile, or to everything that is wrong with the file.

/// A profile, and what should be known of its file though it is no mistake.
package struct ExaminedProfile: Sendable {
  package let profile: Profile
  package let remarks: ProfileProblems
}

package enum ProfileReader {
  /// - Parameter file: what messages call the file.
  /// - Throws: all problems, in the file's order; of a file that is not JSON, the first.
  package static func read(_ bytes: [UInt8], file: String) throws(ProfileProblems) -> Profile {
    try examine(bytes, file: file, identity: nil, bases: nil).profile
  }

  /// - Parameters:
  ///   - identity: Of the file, as `bases` has it.
  ///   - bases: The way to the profiles that it extends; nil where there is none.
  /// - Throws: as `read`.
  package static func examine(
    _ bytes: [UInt8], file: String, identity: String?, bases: ProfileBaseFinder?
  ) throws(ProfileProblems) -> ExaminedProfile {
    var broken = ProblemList(file: file)
    var chain = ProfileChain(file: file, identity: identity)
    chain.read(bytes, bases, &broken)
    let outline = ProfileKeys.table.outline
    // What is wrong in a base is wrong even where another value takes its place.
    for root in chain.roots.dropFirst() { _ = outline.read(root, at: "", &broken) }
    guard let root = chain.merged else { throw broken.result }
    var problems = ProblemList(files: chain.files)
    let record = outline.read(root, at: "", &problems)
    if let record { outline.check(record, Places(root, path: "", record: record), &problems) }
    problems.absorb(broken)
    guard problems.isEmpty, let record, let profile = ProfileKeys.table.object(record) else {
      throw problems.result
    }
    return ExaminedProfile(profile: profile, remarks: problems.remarked)
  }

  /// One rule alone, as in `fakeprovider rule add`.
  /// - Parameter kind: Of the provider that it is for; nil: any.
  /// - Throws: as `read`.
  package static func readRule(
    _ bytes: [UInt8], file: String, kind: ProviderKind? = nil
  ) throws(ProfileProblems) -> Rule {
    var problems = ProblemList(file: file)
    let root: PositionedJSON
    do throws(JSONProblem) {
      root = try PositionedJSON.parse(bytes)
    } catch {
      problems.add(error.position, "", error.message)
      throw problems.result
    }
    let record = RuleKeys.table.outline.readWhole(root, at: "", &problems)
    if let record, let kind, let rule = RuleKeys.table.object(record) {
      RuleChecks.checkKind(rule, on: kind, Places(root, path: "", record: record), &problems)
    }
    guard problems.isEmpty, let record, let rule = RuleKeys.table.object(record) else {
      throw problems.result
    }
    return rule
  }
}
