// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "openapi",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "formwork", path: "../..")],
    targets: [
        // In an application this is a product of swift-openapi-runtime; here it is the only type that the program uses.
        .target(name: "OpenAPIRuntime"),
        .executableTarget(
            name: "openapi",
            dependencies: ["OpenAPIRuntime", .product(name: "Formwork", package: "formwork")],
            swiftSettings: [.enableUpcomingFeature("MemberImportVisibility")]),
    ]
)
