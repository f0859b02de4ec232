// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors where FORMWORK_STRICT is set (scripts/check, CI), so that a newer compiler's
// new warning never breaks somebody else's build.
let strict = Context.environment["FORMWORK_STRICT"] != nil

// Tests are no product: they call C functions as C programs do, without strict memory safety.
let testSettings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + (strict ? [.treatAllWarnings(as: .error)] : [])

let settings = testSettings + [.strictMemorySafety()]

let package = Package(
    name: "formwork",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "FormworkCore", targets: ["FormworkCore"]),
        .library(name: "Formwork", targets: ["Formwork"]),
        .library(name: "FormworkURLEncoded", targets: ["FormworkURLEncoded"]),
        .library(name: "FormworkFoundation", targets: ["FormworkFoundation"]),
        .library(name: "FormworkDigests", targets: ["FormworkDigests"]),
        .library(name: "FormworkMagic", targets: ["FormworkMagic"]),
        .library(name: "FormworkNIO", targets: ["FormworkNIO"]),
        .executable(name: "formwork", targets: ["FormworkCommand"]),
        .executable(name: "formwork-bench", targets: ["FormworkBenchmarks"]),
    ],
    // A package that wants the library alone writes `traits: []` and resolves swift-system, nothing else.
    traits: [
        .trait(
            name: "Command", description: "The `formwork` executable (swift-argument-parser).",
            enabledTraits: ["Digests"]),
        .trait(name: "Digests", description: "SHA-256 and MD5 while reading (swift-crypto)."),
        .trait(
            name: "NIO",
            description: "FormworkNIO: ByteBuffers, AsyncHTTPClient and channels (swift-nio, async-http-client)."),
        .default(enabledTraits: ["Command", "Digests"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
    ],
    targets: [
        .target(name: "FormworkCore", swiftSettings: settings),
        .target(name: "CFormworkSystem"),
        .target(
            name: "Formwork",
            dependencies: [
                "FormworkCore", "CFormworkSystem",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "FormworkDigests",
            dependencies: [
                "FormworkCore",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Digests"])),
            ],
            swiftSettings: settings
        ),
        .target(name: "FormworkURLEncoded", dependencies: ["FormworkCore"], swiftSettings: settings),
        .target(
            name: "FormworkFoundation",
            dependencies: [
                "Formwork", "FormworkURLEncoded", .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        .systemLibrary(
            name: "CMagic", pkgConfig: "libmagic",
            providers: [.apt(["libmagic-dev"]), .brew(["libmagic"])]
        ),
        .target(name: "FormworkMagic", dependencies: ["FormworkCore", "CMagic"], swiftSettings: settings),
        .target(
            name: "FormworkNIO",
            dependencies: [
                "Formwork",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["NIO"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["NIO"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["NIO"])),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["NIO"])),
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: .when(traits: ["NIO"])),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FormworkCommand",
            dependencies: [
                "Formwork", "FormworkDigests", "FormworkMagic", "FormworkURLEncoded", "CFormworkSystem",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Command"])),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FormworkBenchmarks",
            dependencies: [
                "Formwork", "FormworkMagic", "FormworkURLEncoded",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        // What more than one of the tests needs.
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: testSettings),
        .testTarget(name: "FormworkCoreTests", dependencies: ["FormworkCore"], swiftSettings: testSettings),
        .testTarget(
            name: "FormworkURLEncodedTests", dependencies: ["FormworkURLEncoded", "FormworkCore"],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "FormworkFoundationTests",
            dependencies: [
                "FormworkFoundation", "Formwork", "FormworkURLEncoded", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "FormworkMagicTests",
            dependencies: ["FormworkMagic", "Formwork", .product(name: "SystemPackage", package: "swift-system")],
            swiftSettings: testSettings
        ),
        // Empty without the trait: scripts/test-nio runs it.
        .testTarget(
            name: "FormworkNIOTests",
            dependencies: [
                "FormworkNIO", "Formwork", "FormworkCore", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["NIO"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["NIO"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["NIO"])),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["NIO"])),
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: .when(traits: ["NIO"])),
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "FormworkTests",
            dependencies: [
                "Formwork", "FormworkDigests", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Formwork", "FormworkMagic", "FormworkURLEncoded", "FormworkFoundation",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "FormworkCommandTests",
            dependencies: ["FormworkCommand", .product(name: "SystemPackage", package: "swift-system")],
            swiftSettings: testSettings
        ),
    ]
)
