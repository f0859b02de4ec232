// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "frameworks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "formwork", path: "../../..", traits: ["Client"]),
        .package(url: "https://github.com/vapor/vapor.git", exact: "4.122.0"),
        .package(url: "https://github.com/apple/swift-openapi-runtime.git", from: "1.11.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.30.0"),
    ],
    targets: [
        .executableTarget(
            name: "vapor-forms",
            dependencies: [
                .product(name: "FormworkClient", package: "formwork"),
                .product(name: "FormworkNIO", package: "formwork"),
                .product(name: "FormworkResumable", package: "formwork"),
                .product(name: "Vapor", package: "vapor"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ]),
        .executableTarget(
            name: "openapi-forms",
            dependencies: [
                .product(name: "Formwork", package: "formwork"),
                .product(name: "OpenAPIRuntime", package: "swift-openapi-runtime"),
            ]),
    ]
)
