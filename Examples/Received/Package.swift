// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "received",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "formwork", path: "../..", traits: ["Hummingbird"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "received",
            dependencies: [
                .product(name: "FormworkHummingbird", package: "formwork"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            swiftSettings: [.enableUpcomingFeature("MemberImportVisibility")])
    ]
)
