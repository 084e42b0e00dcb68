import ProviderModel
import Testing

@testable import ProviderProfiles

// Profiles by chance, and what is written of them.

@Suite struct `A profile by chance` {
  @Test func `is read again from what show --effective prints, three hundred times`() throws {
    for seed in 0..<300 as Range<UInt64> {
      let sample = ProfileSampler().profile(seed: seed)
      let shown = ProfileWriter.json(sample)
      #expect(try ProfileReader.read(Array(shown.utf8), file: "seed \(seed)") == sample, "seed \(seed)")
      for rule in sample.rules {
        let line = ProfileWriter.json(rule)
        #expect(!line.contains("\n"))
        #expect(try ProfileReader.readRule(Array(line.utf8), file: "seed \(seed)") == rule, "seed \(seed)")
      }
    }
  }

  @Test func `is the same for the same seed`() {
    for seed in 0..<20 as Range<UInt64> {
      #expect(ProfileSampler().profile(seed: seed) == ProfileSampler().profile(seed: seed))
    }
    let rules = (0..<40 as Range<UInt64>).map { ProfileSampler().profile(seed: $0).rules }
    #expect(Set(rules).count > 20)
  }

  @Test func `gives every key a value of its own sooner or later`() {
    var missing: [String: Set<String>] = [:]
    let samples = (0..<300 as Range<UInt64>).map { ProfileSampler().profile(seed: $0) }
    func note<Owner>(_ table: KeyTable<Owner>, _ owners: [Owner]) {
      for key in table.keys {
        let standard = table.outline.key(key.path)?.defaultValue
        let isSet = owners.contains { owner in key.get(owner).map { $0 != standard } ?? false }
        if !isSet { missing[table.outline.noun, default: []].insert(key.path) }
      }
    }
    note(ProfileKeys.table, samples)
    note(RuleKeys.table, samples.flatMap(\.rules))
    note(EventKeys.table, samples.flatMap(\.events))
    // Those have one value or none.
    #expect(missing == ["profile": ["$schema", "extends", "io"]])
    #expect(samples.map(\.rules.count).reduce(0, +) > 300)
    #expect(Set(samples.flatMap(\.rules).flatMap(\.operations)).count == OperationName.allCases.count)
  }

  @Test func `keeps to the limits that a test gives`() throws {
    let path = try #require(ItemPath("x/y.bin"))
    var sampler = ProfileSampler(paths: [path])
    sampler.longest = .milliseconds(50)
    sampler.slowest = 1_000_000
    sampler.objects = 2
    for seed in 0..<100 as Range<UInt64> {
      let sample = sampler.profile(seed: seed)
      #expect(sample.rules.count <= 2 && sample.events.count <= 2)
      #expect(sample.events.allSatisfy { $0.at <= .milliseconds(50) && ($0.path ?? path) == path })
      #expect(sample.download.bandwidth ?? .max >= 1_000_000)
    }
  }
}
