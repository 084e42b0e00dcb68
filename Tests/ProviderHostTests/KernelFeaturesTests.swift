import ProviderHost
import Testing

@Suite struct `A kernel's version` {
  @Test(arguments: [
    ("6.1", KernelVersion(6, 1)), ("6.18.44-fc", KernelVersion(6, 18)),
    ("5.10.0-28-amd64", KernelVersion(5, 10)),
    ("6.9-rc2", KernelVersion(6, 9)), ("6.6+", KernelVersion(6, 6)), ("10.0.1", KernelVersion(10, 0)),
  ])
  func `is read from a release`(text: String, version: KernelVersion) {
    #expect(KernelVersion(text: text) == version)
  }

  @Test(arguments: ["", "6", "6.", ".1", "six.one", "6.1x", "-6.1", "6.99999999999999999999"])
  func `is not read from what is none`(text: String) {
    #expect(KernelVersion(text: text) == nil)
  }

  @Test func `is ordered by numbers, not by letters`() {
    #expect(KernelVersion(6, 9) < KernelVersion(6, 13))
    #expect(KernelVersion(5, 19) < KernelVersion(6, 0))
  }
}

@Suite struct `Kernel features` {
  @Test(arguments: KernelFeature.allCases)
  func `begin at their floor`(feature: KernelFeature) {
    let floor = feature.floor
    #expect(KernelFeatures(version: floor).has(feature))
    #expect(!KernelFeatures(version: KernelVersion(floor.major, floor.minor - 1)).has(feature))
  }

  @Test func `of 6_1 are the clone only`() {
    let features = KernelFeatures(version: KernelVersion(6, 1))
    #expect(features.readOnlyClone)
    #expect(!features.peerPidfd)
    #expect(!features.directIOMmap)
    #expect(!features.pidfdInfo)
  }

  @Test func `are hidden by the mask`() throws {
    let features = try KernelFeatures.masked(release: "6.18.1", environment: ["FAKEPROVIDER_KERNEL": "6.6"])
    #expect(features.version == KernelVersion(6, 6))
    #expect(features.directIOMmap)
  }

  @Test func `are not invented by a mask above the kernel`() throws {
    let features = try KernelFeatures.masked(release: "5.10.0", environment: ["FAKEPROVIDER_KERNEL": "6.18"])
    #expect(features.version == KernelVersion(5, 10))
  }

  @Test func `are the kernel's own without a mask, or with an empty one`() throws {
    for environment in [[:], ["FAKEPROVIDER_KERNEL": ""]] {
      #expect(
        try KernelFeatures.masked(release: "6.18.1", environment: environment).version == KernelVersion(6, 18)
      )
    }
  }

  @Test func `are refused for a mask that is no version`() {
    #expect {
      try KernelFeatures.masked(release: "6.18.1", environment: ["FAKEPROVIDER_KERNEL": "old"])
    } throws: { error in
      (error as? KernelMaskProblem)?.message.contains("\"old\"") == true
    }
  }

  @Test func `are none on a kernel whose release cannot be read`() throws {
    let features = try KernelFeatures.masked(release: "?", environment: [:])
    #expect(KernelFeature.allCases.allSatisfy { !features.has($0) })
  }

  @Test func `of this machine are read from uname`() throws {
    let features = try KernelFeatures.current(environment: [:])
    #expect(features.version == KernelVersion(text: KernelFeatures.release()))
    #expect(features.version > KernelVersion(0, 0))
  }
}
