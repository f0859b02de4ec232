// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who builds formwork builds this.
let package = Package(
    name: "formwork-urlencoded",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "formwork", path: "../../..", traits: [])],
    targets: [
        .executableTarget(
            name: "formwork-urlencoded", dependencies: [.product(name: "FormworkURLEncoded", package: "formwork")],
            swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")])
    ]
)
