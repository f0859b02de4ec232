// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "resumed",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "formwork", path: "../..", traits: ["Client", "Hummingbird"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    ],
    targets: [
        .executableTarget(
            name: "resumed",
            dependencies: [
                .product(name: "FormworkClient", package: "formwork"),
                .product(name: "FormworkHummingbird", package: "formwork"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: [.enableUpcomingFeature("MemberImportVisibility")])
    ]
)
