// swift-tools-version: 6.2
import PackageDescription

// The snippets about servers and clients, in a package that depends on Formwork as their readers' packages do.
func formwork(_ name: String) -> Target.Dependency { .product(name: name, package: "formwork") }

// The files that the snippets are in are empty without these names in Formwork's own build.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("MemberImportVisibility"),
    .define("NIO"), .define("Client"), .define("Resumable"), .define("Hummingbird"), .define("Transfer"),
]

let package = Package(
    name: "server-snippets",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "formwork", path: "../..", traits: ["Client", "Hummingbird"]),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0", traits: []),
    ],
    targets: [
        .testTarget(
            name: "NIOSnippets",
            dependencies: [
                formwork("Formwork"), formwork("FormworkHTTP"), formwork("FormworkNIO"), formwork("FormworkClient"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "HummingbirdSnippets",
            dependencies: [
                formwork("Formwork"), formwork("FormworkHummingbird"), formwork("FormworkResumable"),
                formwork("FormworkNIO"), formwork("FormworkHTTP"), formwork("FormworkClient"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            swiftSettings: settings),
    ]
)
