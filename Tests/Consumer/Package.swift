// swift-tools-version: 6.2
import PackageDescription

// What an app's package looks like that imports ScopedAccess and nothing else. scripts/consumer.sh builds it
// where libfuse's headers cannot be seen.
let package = Package(
  name: "Consumer",
  dependencies: [.package(name: "ProviderFS", path: "../..")],
  targets: [
    .executableTarget(
      name: "Consumer", dependencies: [.product(name: "ScopedAccess", package: "ProviderFS")])
  ]
)
