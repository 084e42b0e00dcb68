// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

// What an app or a test imports. These also build on Apple platforms (written for macOS, not built here).
var products: [Product] = [
  .library(name: "ScopedAccess", targets: ["ScopedAccess"]),
  .library(name: "ProviderTesting", targets: ["ProviderTesting"]),
]

// The provider itself needs Linux: CFuse and CLinux have no other home.
products.append(.executable(name: "fakeprovider", targets: ["fakeprovider"]))

let package = Package(
  name: "ProviderFS",
  products: products,
  targets: [
    // The fences: C that Swift cannot say, one prefix each.
    .target(
      name: "CFuse",
      cSettings: [.define("_FILE_OFFSET_BITS", to: "64"), .define("_GNU_SOURCE")]),
    .target(name: "CLinux", cSettings: [.define("_GNU_SOURCE")]),

    // The pure provider and the files that describe its behavior.
    .target(name: "ProviderModel", swiftSettings: strict),
    .target(
      name: "ProviderProfiles", dependencies: ["ProviderModel"],
      resources: [.copy("../../provider-profiles")], swiftSettings: strict),

    // The shells around it.
    .target(
      name: "ProviderControl", dependencies: ["CLinux", "ProviderModel"], swiftSettings: strict),
    .target(
      name: "ProviderHost", dependencies: ["CLinux", "ProviderModel", "ProviderControl"],
      swiftSettings: strict),
    .target(
      name: "ProviderFS",
      dependencies: ["CFuse", "CLinux", "ProviderModel", "ProviderControl", "ProviderHost"],
      swiftSettings: strict),

    // What other people's code imports.
    .target(
      name: "ScopedAccess", dependencies: ["ProviderControl", "ProviderModel"], swiftSettings: strict),
    .target(
      name: "ProviderTesting", dependencies: ["CLinux", "ProviderControl"], swiftSettings: strict),

    // The command line.
    .executableTarget(
      name: "fakeprovider",
      dependencies: [
        "CLinux", "ProviderModel", "ProviderProfiles", "ProviderControl", "ProviderHost",
        "ProviderFS",
      ],
      resources: [.copy("../../Samples")],
      swiftSettings: strict),
    .executableTarget(
      name: "StageDocument", dependencies: ["ScopedAccess"], path: "Examples/StageDocument",
      swiftSettings: strict),

    // What the model's decisions cost, for `make bench`.
    .executableTarget(
      name: "DecisionCost", dependencies: ["ProviderModel"], path: "Benchmarks/DecisionCost",
      swiftSettings: strict),

    // One app source in the three modes that it claims; tests run each as a process.
    .target(
      name: "StageReport", path: "Tests/SourceCompatibility/StageReport", swiftSettings: strict),
    .executableTarget(
      name: "stage-swift5", dependencies: ["ScopedAccess", "StageReport"],
      path: "Tests/SourceCompatibility/Swift5", swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "stage-swift6", dependencies: ["ScopedAccess", "StageReport"],
      path: "Tests/SourceCompatibility/Swift6", swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
      name: "stage-mainactor", dependencies: ["ScopedAccess", "StageReport"],
      path: "Tests/SourceCompatibility/MainActorDefault",
      swiftSettings: [.swiftLanguageMode(.v6), .defaultIsolation(MainActor.self)]),

    // A provider's end of the socket that says what a test wants it to say.
    .target(
      name: "FakeServer", dependencies: ["CLinux", "ProviderControl", "ProviderModel"],
      path: "Tests/FakeServer", swiftSettings: strict),

    // An app that tests steer line by line, so that every actor of a coordination is a process of its own.
    .executableTarget(
      name: "CoordinationHelper", dependencies: ["ScopedAccess"], path: "Tests/CoordinationHelper",
      swiftSettings: strict),

    .testTarget(
      name: "ProviderModelTests", dependencies: ["ProviderModel", "ProviderProfiles"],
      swiftSettings: strict),
    .testTarget(
      name: "ProviderProfilesTests", dependencies: ["ProviderProfiles", "ProviderModel"],
      swiftSettings: strict),
    .testTarget(
      name: "ProviderControlTests",
      dependencies: ["ProviderControl", "ProviderModel", "FakeServer"],
      swiftSettings: strict),
    .testTarget(
      name: "ProviderHostTests",
      dependencies: ["ProviderHost", "ProviderModel", "ProviderControl", "FakeServer"],
      swiftSettings: strict),
    .testTarget(
      name: "FakeProviderTests",
      dependencies: [
        "fakeprovider", "ProviderControl", "ProviderHost", "ProviderModel", "ProviderProfiles",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ScopedAccessTests",
      dependencies: [
        "ScopedAccess", "ProviderTesting", "ProviderControl", "ProviderModel", "FakeServer",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MountTests",
      dependencies: [
        "ProviderTesting", "ProviderControl", "ScopedAccess", "ProviderModel", "ProviderProfiles",
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
