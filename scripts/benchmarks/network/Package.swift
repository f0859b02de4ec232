// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "network",
    dependencies: [
        .package(name: "formwork", path: "../../..", traits: ["Hummingbird", "Client"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
    ],
    targets: [
        .executableTarget(
            name: "proxy-bench",
            dependencies: [
                .product(name: "FormworkHummingbird", package: "formwork"),
                .product(name: "FormworkClient", package: "formwork"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ]
        ),
        .executableTarget(
            name: "upload-bench",
            dependencies: [
                .product(name: "FormworkClient", package: "formwork"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ]
        ),
    ]
)
