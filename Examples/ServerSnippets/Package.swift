// swift-tools-version: 6.2
import PackageDescription

// The snippets about servers and clients, in a package that depends on Formwork as their readers' packages do; a second time
// with the main actor as the default isolation. Snippets is a link to the files that the tests compare with the pages.
let formwork = ["Formwork", "FormworkHTTP", "FormworkNIO", "FormworkClient"].map(product)
let nio: [Target.Dependency] = [
    .product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOHTTP1", package: "swift-nio"),
    .product(name: "NIOPosix", package: "swift-nio"),
    .product(name: "HTTPTypes", package: "swift-http-types"),
    .product(name: "AsyncHTTPClient", package: "async-http-client"),
]
let nioAlone: [Target.Dependency] = [
    .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
    .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
]
let hummingbird: [Target.Dependency] =
    ["FormworkHummingbird", "FormworkResumable"].map(product) + [.product(name: "Hummingbird", package: "hummingbird")]

func product(_ name: String) -> Target.Dependency { .product(name: name, package: "formwork") }

func snippets(_ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = []) -> Target {
    .testTarget(
        name: name, dependencies: formwork + nio + dependencies,
        swiftSettings: [.enableUpcomingFeature("MemberImportVisibility")] + settings)
}

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
        snippets("NIOSnippets", nioAlone),
        snippets("NIOOnMainActor", nioAlone, [.defaultIsolation(MainActor.self)]),
        snippets("HummingbirdSnippets", hummingbird),
        snippets("HummingbirdOnMainActor", hummingbird, [.defaultIsolation(MainActor.self)]),
    ]
)
