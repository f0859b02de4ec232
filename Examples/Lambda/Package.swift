// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "lambda",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "formwork", path: "../..")],
    targets: [
        .executableTarget(
            name: "lambda", dependencies: [.product(name: "Formwork", package: "formwork")],
            swiftSettings: [.enableUpcomingFeature("MemberImportVisibility")])
    ]
)
