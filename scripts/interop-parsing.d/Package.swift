// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who builds formwork builds this.
let package = Package(
    name: "formwork-recompose",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "formwork", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "formwork-recompose", dependencies: [.product(name: "Formwork", package: "formwork")],
            swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")])
    ]
)
