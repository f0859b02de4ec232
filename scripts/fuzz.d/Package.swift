// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who builds formwork builds this. `scripts/fuzz` builds it with the sanitizers.
let package = Package(
    name: "formwork-fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "formwork", path: "../..", traits: [])],
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
