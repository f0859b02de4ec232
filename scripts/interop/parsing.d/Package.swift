// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that a build of formwork doesn't build this.
let package = Package(
    name: "formwork-recompose",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "formwork", path: "../../..", traits: [])],
    targets: [
        .executableTarget(
            name: "formwork-recompose", dependencies: [.product(name: "Formwork", package: "formwork")],
            swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")])
    ]
)
