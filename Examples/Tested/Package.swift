// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [.enableUpcomingFeature("MemberImportVisibility")]

let package = Package(
    name: "tested",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "formwork", path: "../..")],
    targets: [
        .target(
            name: "Uploader", dependencies: [.product(name: "FormworkFoundation", package: "formwork")],
            swiftSettings: settings),
        .testTarget(
            name: "UploaderTests", dependencies: ["Uploader", .product(name: "FormworkTesting", package: "formwork")],
            swiftSettings: settings),
    ]
)
