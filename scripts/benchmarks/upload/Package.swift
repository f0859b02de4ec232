// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "upload",
    dependencies: [
        .package(name: "formwork", path: "../../..", traits: ["Client"]),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
    ],
    targets: [
        .executableTarget(
            name: "upload-bench",
            dependencies: [
                .product(name: "FormworkClient", package: "formwork"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ]
        )
    ]
)
