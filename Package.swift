// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors where FORMWORK_STRICT is set (scripts/check, CI), so that a newer compiler's
// new warning never breaks somebody else's build.
let strict = Context.environment["FORMWORK_STRICT"] != nil

// A module whose trait is off reports that in a package that depends on it: by an error if SwiftPM fetched this one, because
// it hides warnings then, and by a warning if this one is in a folder. A build of this checkout reports nothing.
let isCheckout = strict || Context.environment["PWD"] == Context.packageDirectory
let isFetched = !isCheckout && Context.packageDirectory.contains("/checkouts/")

// Tests are no product: they call C functions as C programs do, without strict memory safety.
let testSettings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + (strict ? [.treatAllWarnings(as: .error)] : [])

let settings =
    testSettings + [.strictMemorySafety()] + (isCheckout ? [.define("FORMWORK_CHECKOUT")] : [])
    + (isFetched ? [.define("FORMWORK_FETCHED")] : [])

func product(_ name: String, _ package: String, _ trait: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}

let argumentParser = product("ArgumentParser", "swift-argument-parser", "Command")

// The functions that a small form needs are beside each other in the executable, so fewer of its pages are in memory.
func ordered(_ folder: String) -> [String] {
    [
        "-use-ld=lld", "-Xlinker", "--symbol-ordering-file=\(folder)/startup-order", "-Xlinker",
        "--no-warn-symbol-ordering",
    ]
}

// scripts/build links two executables without shared libraries, glibc included, so they start in a third of the time.
// Such a program can't load libmagic when it runs: libmagic.a is linked in, with what it needs.
let linkedWhole: [LinkerSetting] =
    Context.environment["FORMWORK_STATIC"].map { folder in
        [
            .unsafeFlags(
                [
                    "-static-executable", "-Xlinker", "-u", "-Xlinker", "magic_open", "-Xlinker", "-lmagic", "-Xlinker",
                    "-lbz2", "-Xlinker", "-llzma", "-Xlinker", "-lz",
                ] + ordered(folder))
        ]
    } ?? []

// formwork-transfer needs glibc's shared libraries, which resolve host names, but no others: FORMWORK_STATIC is a folder
// with only the static versions of two that the compiler names. Equal functions are stored once, and none is exported.
let linkedExceptGlibc: [LinkerSetting] =
    Context.environment["FORMWORK_STATIC"].map { folder in
        [
            .unsafeFlags(
                [
                    "-L", folder, "-Xclang-linker", "-static-libgcc", "-Xlinker", "--icf=safe", "-Xlinker",
                    "--no-export-dynamic",
                ] + ordered(folder))
        ]
    } ?? []

// The command, the clients and the receiver wait for disks and networks: small code is worth more there than fast code.
let smallSettings = settings + (Context.environment["FORMWORK_STATIC"] == nil ? [] : [.unsafeFlags(["-Osize"])])

func target(_ name: String, _ trait: String) -> Target.Dependency {
    .target(name: name, condition: .when(traits: [trait]))
}

let package = Package(
    name: "formwork",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "FormworkCore", targets: ["FormworkCore"]),
        // FormworkValues is found when the program runs: what it says of Date and Data holds without an import.
        .library(name: "Formwork", targets: ["Formwork", "FormworkValues"]),
        .library(name: "FormworkURLEncoded", targets: ["FormworkURLEncoded"]),
        .library(name: "FormworkFoundation", targets: ["FormworkFoundation"]),
        .library(name: "FormworkMigration", targets: ["FormworkMigration"]),
        .library(name: "FormworkTesting", targets: ["FormworkTesting"]),
        .library(name: "FormworkDigests", targets: ["FormworkDigests"]),
        .library(name: "FormworkMagic", targets: ["FormworkMagic"]),
        .library(name: "FormworkHTTP", targets: ["FormworkHTTP"]),
        .library(name: "FormworkNIO", targets: ["FormworkNIO"]),
        .library(name: "FormworkResumable", targets: ["FormworkResumable"]),
        .library(name: "FormworkClient", targets: ["FormworkClient"]),
        .library(name: "FormworkHummingbird", targets: ["FormworkHummingbird"]),
        .executable(name: "formwork", targets: ["FormworkMain"]),
        .executable(name: "formwork-transfer", targets: ["FormworkTransferMain"]),
        .executable(name: "formwork-bench", targets: ["FormworkBenchmarks"]),
    ],
    // No trait is on by default: a package that only uses forms resolves swift-system alone.
    traits: [
        .trait(name: "Command", description: "The `formwork` executable (swift-argument-parser)."),
        .trait(
            name: "NIO",
            description: "FormworkNIO and FormworkHTTP: ByteBuffers, channels, forms of a request (swift-nio)."),
        .trait(
            name: "Resumable",
            description: "FormworkResumable, and its calls in the other modules: uploads that resume after a cut.",
            enabledTraits: ["NIO"]),
        .trait(
            name: "Client",
            description: "FormworkClient: uploads by AsyncHTTPClient and by a client of our own (async-http-client).",
            enabledTraits: ["NIO", "Resumable"]),
        .trait(
            name: "Hummingbird", description: "FormworkHummingbird: forms of a request (hummingbird).",
            enabledTraits: ["NIO"]),
        .trait(
            name: "Transfer", description: "`formwork send` and `formwork receive`.",
            enabledTraits: ["Command", "Client", "Hummingbird"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.34.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.38.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0", traits: []),
    ],
    targets: [
        .target(name: "CFormworkBytes"),
        .target(
            name: "FormworkCore", dependencies: ["CFormworkBytes"],
            // For Array+Span.swift, which only Apple's systems before 26 need.
            swiftSettings: settings + [
                .enableExperimentalFeature(
                    "Lifetimes", .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS]))
            ]),
        // What the kernel gives, with types, and what waits.
        .target(name: "CFormworkSystem"),
        .target(
            name: "FormworkSystem",
            dependencies: [
                "FormworkCore", "CFormworkSystem", .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Formwork",
            dependencies: [
                "FormworkCore", "FormworkURLEncoded", "FormworkSystem",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        // Files that only the receiver and the command write: journals, staged folders, private and appended files.
        .target(
            name: "FormworkFiles",
            dependencies: [
                "Formwork", "FormworkSystem", .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        .target(name: "CFormworkDigests"),
        .target(name: "FormworkDigests", dependencies: ["FormworkCore", "CFormworkDigests"], swiftSettings: settings),
        .target(name: "FormworkURLEncoded", dependencies: ["FormworkCore"], swiftSettings: settings),
        // How Formwork codes Foundation's values; Formwork itself is linked without Foundation.
        .target(
            name: "FormworkValues",
            dependencies: ["Formwork", .product(name: "SystemPackage", package: "swift-system")],
            swiftSettings: settings
        ),
        .target(
            name: "FormworkFoundation",
            dependencies: [
                "FormworkSystem",
                "Formwork", "FormworkValues", "FormworkURLEncoded",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        // Alamofire's, AFNetworking's, Facebook's and the iOS Recipes' interfaces.
        .target(
            name: "FormworkMigration",
            dependencies: [
                "FormworkSystem",
                "Formwork", "FormworkFoundation", "FormworkURLEncoded", "FormworkValues",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        // For tests of what sends forms and what takes them; sockets of its own, so no trait is needed.
        .target(name: "CFormworkSockets"),
        .target(
            name: "FormworkTesting",
            dependencies: [
                "Formwork", "FormworkCore", "FormworkValues", "CFormworkSockets",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        // Looks for libmagic when the program runs: nothing of it is needed to build.
        .target(name: "CMagic", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .target(name: "FormworkMagic", dependencies: ["FormworkCore", "CMagic"], swiftSettings: settings),
        .target(
            name: "FormworkHTTP",
            dependencies: [
                "Formwork",
                .product(name: "SystemPackage", package: "swift-system"),
                product("HTTPTypes", "swift-http-types", "NIO"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "FormworkResumable",
            dependencies: [
                "FormworkSystem", "FormworkFiles",
                "Formwork", "FormworkValues", target("FormworkHTTP", "Resumable"),
                "FormworkDigests",
                .product(name: "SystemPackage", package: "swift-system"),
                product("HTTPTypes", "swift-http-types", "Resumable"),
                // Not StructuredFieldValues: it brings all of Foundation, with 30 MB of ICU, into each executable.
                product("RawStructuredFieldValues", "swift-http-structured-headers", "Resumable"),
            ],
            swiftSettings: smallSettings
        ),
        .target(
            name: "FormworkNIO",
            dependencies: [
                "FormworkSystem",
                "Formwork", "FormworkValues", target("FormworkHTTP", "NIO"),
                target("FormworkResumable", "Resumable"),
                .product(name: "SystemPackage", package: "swift-system"),
                product("NIOCore", "swift-nio", "NIO"),
                product("NIOHTTP1", "swift-nio", "NIO"),
                product("NIOHTTPTypes", "swift-nio-extras", "NIO"),
                product("NIOHTTPTypesHTTP1", "swift-nio-extras", "NIO"),
                product("HTTPTypes", "swift-http-types", "NIO"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "FormworkClient",
            dependencies: [
                "FormworkSystem", "FormworkFiles",
                "Formwork", "FormworkValues", target("FormworkHTTP", "Client"), target("FormworkResumable", "Client"),
                target("FormworkNIO", "Client"),
                .product(name: "SystemPackage", package: "swift-system"),
                product("NIOCore", "swift-nio", "Client"),
                product("NIOPosix", "swift-nio", "Client"),
                product("NIOHTTP1", "swift-nio", "Client"),
                product("NIOHTTP2", "swift-nio-http2", "Client"),
                product("NIOSSL", "swift-nio-ssl", "Client"),
                product("NIOTLS", "swift-nio", "Client"),
                product("NIOExtras", "swift-nio-extras", "Client"),
                product("NIOHTTPTypes", "swift-nio-extras", "Client"),
                product("NIOHTTPTypesHTTP1", "swift-nio-extras", "Client"),
                product("NIOHTTPTypesHTTP2", "swift-nio-extras", "Client"),
                product("HTTPTypes", "swift-http-types", "Client"),
                product("AsyncHTTPClient", "async-http-client", "Client"),
            ],
            swiftSettings: smallSettings
        ),
        // What needs only Hummingbird's server, and not its router: the receiver is smaller without that.
        .target(
            name: "FormworkHummingbirdCore",
            dependencies: [
                target("FormworkNIO", "Hummingbird"),
                product("NIOCore", "swift-nio", "Hummingbird"),
                product("NIOHTTP1", "swift-nio", "Hummingbird"),
                product("Logging", "swift-log", "Hummingbird"),
                product("HummingbirdCore", "hummingbird", "Hummingbird"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "FormworkHummingbird",
            dependencies: [
                "Formwork", "FormworkValues", target("FormworkHTTP", "Hummingbird"),
                target("FormworkNIO", "Hummingbird"), target("FormworkHummingbirdCore", "Hummingbird"),
                target("FormworkResumable", "Resumable"),
                .product(name: "SystemPackage", package: "swift-system"),
                product("NIOCore", "swift-nio", "Hummingbird"),
                product("NIOConcurrencyHelpers", "swift-nio", "Hummingbird"),
                product("NIOHTTP1", "swift-nio", "Hummingbird"),
                product("NIOHTTPTypes", "swift-nio-extras", "Hummingbird"),
                product("HTTPTypes", "swift-http-types", "Hummingbird"),
                product("Logging", "swift-log", "Hummingbird"),
                product("Hummingbird", "hummingbird", "Hummingbird"),
                product("HummingbirdCore", "hummingbird", "Hummingbird"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "FormworkReceiver",
            dependencies: [
                "FormworkSystem", "FormworkFiles",
                "Formwork", "FormworkValues", "FormworkDigests", "FormworkHTTP", "FormworkResumable", "FormworkNIO",
                "FormworkClient",
                "FormworkHummingbirdCore", "FormworkURLEncoded",
                .product(name: "SystemPackage", package: "swift-system"),
                product("NIOCore", "swift-nio", "Transfer"),
                product("NIOHTTP1", "swift-nio", "Transfer"),
                product("NIOPosix", "swift-nio", "Transfer"),
                product("NIOSSL", "swift-nio-ssl", "Transfer"),
                product("HTTPTypes", "swift-http-types", "Transfer"),
                product("NIOHTTP2", "swift-nio-http2", "Transfer"),
                product("NIOExtras", "swift-nio-extras", "Transfer"),
                product("NIOHTTPTypes", "swift-nio-extras", "Transfer"),
                product("NIOHTTPTypesHTTP2", "swift-nio-extras", "Transfer"),
                product("AsyncHTTPClient", "async-http-client", "Transfer"),
                product("Logging", "swift-log", "Transfer"),
                product("Metrics", "swift-metrics", "Transfer"),
                product("Tracing", "swift-distributed-tracing", "Transfer"),
                product("ServiceLifecycle", "swift-service-lifecycle", "Transfer"),
                product("UnixSignals", "swift-service-lifecycle", "Transfer"),
                product("HummingbirdCore", "hummingbird", "Transfer"),
            ],
            // In the code, not in a bundle: the command is one file, wherever it is copied to.
            resources: [.embedInCode("Page/Resources")],
            swiftSettings: smallSettings
        ),
        // The command's verbs. Those that need a network have a module, and an executable, of their own: it takes
        // longer to start than the others take to do their work.
        .target(
            name: "FormworkCommand",
            dependencies: [
                "FormworkFiles",
                "Formwork", "FormworkDigests", "FormworkMagic", "FormworkURLEncoded", "FormworkSystem",
                argumentParser,
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: smallSettings
        ),
        .target(
            name: "FormworkTransfer",
            dependencies: [
                "FormworkFiles", "FormworkSystem",
                "Formwork", "FormworkValues", "FormworkCommand",
                target("FormworkHTTP", "Transfer"),
                target("FormworkResumable", "Transfer"),
                target("FormworkNIO", "Transfer"),
                target("FormworkClient", "Transfer"),
                target("FormworkReceiver", "Transfer"),
                product("NIOCore", "swift-nio", "Transfer"),
                product("NIOPosix", "swift-nio", "Transfer"),
                product("Logging", "swift-log", "Transfer"),
                product("ServiceLifecycle", "swift-service-lifecycle", "Transfer"),
                product("UnixSignals", "swift-service-lifecycle", "Transfer"),
                argumentParser,
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: smallSettings
        ),
        .executableTarget(
            name: "FormworkMain",
            dependencies: [
                "FormworkCommand", "FormworkSystem", argumentParser,
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings, linkerSettings: linkedWhole
        ),
        .executableTarget(
            name: "FormworkTransferMain",
            dependencies: ["FormworkCommand", target("FormworkTransfer", "Transfer"), argumentParser],
            swiftSettings: settings, linkerSettings: linkedExceptGlibc
        ),
        .executableTarget(
            name: "FormworkBenchmarks",
            dependencies: [
                "Formwork", "FormworkSystem", "FormworkMagic", "FormworkURLEncoded",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings, linkerSettings: linkedWhole
        ),
        // What more than one of the tests needs.
        .target(
            name: "TestSupport", dependencies: [.product(name: "SystemPackage", package: "swift-system")],
            path: "Tests/TestSupport", swiftSettings: testSettings),
        .testTarget(name: "FormworkCoreTests", dependencies: ["FormworkCore"], swiftSettings: testSettings),
        .testTarget(
            name: "FormworkDigestsTests", dependencies: ["FormworkDigests", "FormworkCore"],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "FormworkURLEncodedTests", dependencies: ["FormworkURLEncoded", "FormworkCore"],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "FormworkFoundationTests",
            dependencies: [
                "FormworkFoundation", "FormworkMigration", "Formwork", "FormworkURLEncoded", "FormworkValues",
                "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "FormworkTestingTests",
            dependencies: [
                "FormworkTesting", "FormworkFoundation", "Formwork", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "FormworkMagicTests",
            dependencies: ["FormworkMagic", "Formwork", .product(name: "SystemPackage", package: "swift-system")],
            swiftSettings: testSettings
        ),
        // Empty without their traits: scripts/test turns them on.
        .testTarget(
            name: "FormworkHTTPTests",
            dependencies: [
                "FormworkHTTP", "FormworkResumable", "Formwork", "FormworkCore", "TestSupport",
                product("HTTPTypes", "swift-http-types", "NIO"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "FormworkNIOTests",
            dependencies: [
                "FormworkNIO", "FormworkClient", "FormworkHTTP", "FormworkResumable", "Formwork", "FormworkCore",
                "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
                product("NIOCore", "swift-nio", "NIO"),
                product("NIOPosix", "swift-nio", "NIO"),
                product("NIOEmbedded", "swift-nio", "NIO"),
                product("NIOHTTP1", "swift-nio", "NIO"),
                product("NIOSSL", "swift-nio-ssl", "NIO"),
                product("NIOHTTP2", "swift-nio-http2", "NIO"),
                product("NIOHTTPTypes", "swift-nio-extras", "NIO"),
                product("NIOHTTPTypesHTTP1", "swift-nio-extras", "NIO"),
                product("NIOHTTPTypesHTTP2", "swift-nio-extras", "NIO"),
                product("HTTPTypes", "swift-http-types", "NIO"),
                product("AsyncHTTPClient", "async-http-client", "NIO"),
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "FormworkHummingbirdTests",
            dependencies: [
                "FormworkHummingbird", "FormworkClient", "FormworkHTTP", "FormworkResumable", "FormworkNIO", "Formwork",
                "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
                product("NIOCore", "swift-nio", "Hummingbird"),
                product("NIOHTTP1", "swift-nio", "Hummingbird"),
                product("NIOPosix", "swift-nio", "Hummingbird"),
                product("HTTPTypes", "swift-http-types", "Hummingbird"),
                product("Logging", "swift-log", "Hummingbird"),
                product("Hummingbird", "hummingbird", "Hummingbird"),
                product("HummingbirdTesting", "hummingbird", "Hummingbird"),
                product("AsyncHTTPClient", "async-http-client", "Hummingbird"),
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "FormworkReceiverTests",
            dependencies: [
                "FormworkSystem", "FormworkFiles",
                "FormworkReceiver", "FormworkDigests", "FormworkHTTP", "FormworkResumable", "FormworkNIO",
                "FormworkClient",
                "Formwork", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
                product("NIOCore", "swift-nio", "Transfer"),
                product("NIOEmbedded", "swift-nio", "Transfer"),
                product("NIOHTTP1", "swift-nio", "Transfer"),
                product("NIOHTTPTypes", "swift-nio-extras", "Transfer"),
                product("HTTPTypes", "swift-http-types", "Transfer"),
                product("AsyncHTTPClient", "async-http-client", "Transfer"),
                product("Hummingbird", "hummingbird", "Transfer"),
                product("Logging", "swift-log", "Transfer"),
                product("ServiceLifecycle", "swift-service-lifecycle", "Transfer"),
                product("Tracing", "swift-distributed-tracing", "Transfer"),
                product("InMemoryTracing", "swift-distributed-tracing", "Transfer"),
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "FormworkFilesTests",
            dependencies: [
                "FormworkFiles", "FormworkSystem", "Formwork", "FormworkCore", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "FormworkTests",
            dependencies: [
                "FormworkSystem", "FormworkFiles",
                "Formwork", "FormworkDigests", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Formwork", "FormworkMagic", "FormworkURLEncoded", "FormworkFoundation", "FormworkMigration",
                "FormworkTesting",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "FormworkCommandTests",
            dependencies: [
                "FormworkCommand", "FormworkTransfer", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: testSettings
        ),
    ]
)
