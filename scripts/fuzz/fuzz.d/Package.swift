// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that a build of formwork doesn't build this. `scripts/fuzz/fuzz` builds it with the sanitizers.
let package = Package(
    name: "formwork-fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "formwork", path: "../../..", traits: [])],
    targets: [
        .executableTarget(
            name: "formwork-fuzz",
            dependencies: [
                .product(name: "Formwork", package: "formwork"),
                .product(name: "FormworkURLEncoded", package: "formwork"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")])
    ]
)
