// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [.enableUpcomingFeature("MemberImportVisibility")]
let forms = Target.Dependency.product(name: "Formwork", package: "formwork")

let package = Package(
    name: "composing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "formwork", path: "../..")],
    targets: [
        .executableTarget(name: "compose", dependencies: [forms], swiftSettings: settings),
        .executableTarget(name: "fixtures", dependencies: [forms, .product(name: "FormworkDigests", package: "formwork")],
            swiftSettings: settings),
        .executableTarget(
            name: "upload", dependencies: [.product(name: "FormworkFoundation", package: "formwork")],
            swiftSettings: settings),
    ]
)
