// swift-tools-version: 6.2
import Foundation
import PackageDescription

let environment = Context.environment

// The checkout itself builds every module. A package that depends on this one builds the modules that it uses, and turns on their
// traits, so that nothing else is resolved. While SwiftPM chooses versions, this package has no folder (/). PWD shows who builds; an
// Xcode that no shell has started has none: it gets the library alone.
let folder = Context.packageDirectory
let current = environment["PWD"] ?? "/"
let isFetched = folder == "/" || folder.contains("/checkouts/")
let isInPackage = current == "/" || FileManager.default.fileExists(atPath: "\(current)/Package.swift")
let isRoot = isFetched || isInPackage ? folder == current && folder != "/" : true
// `FORMWORK_LIBRARY=1 swift build` leaves out of the checkout what needs a trait.
let isLibrary = environment["FORMWORK_LIBRARY"] != nil

// Warnings are errors only where this is set (scripts/check, CI): a newer compiler's new warning never breaks another build.
let isStrict = environment["FORMWORK_STRICT"] != nil

// Tests are no product: they call C functions as C programs do, without strict memory safety.
let testSettings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + (isStrict ? [.treatAllWarnings(as: .error)] : [])
let settings = testSettings + [.strictMemorySafety()]

// Of scripts/build: a folder with the static versions of libraries, and with the order of functions in the executable, by which
// fewer of its pages are in memory.
let staticFolder = environment["FORMWORK_STATIC"]

// The command, the clients and the receiver wait for disks and networks: small code is worth more there than fast code.
let smallSettings = settings + (staticFolder == nil ? [] : [.unsafeFlags(["-Osize"])])

func linked(_ flags: (String) -> [String]) -> [LinkerSetting] {
    staticFolder.map { folder in
        let order = ["--symbol-ordering-file=\(folder)/startup-order", "--no-warn-symbol-ordering"]
        return [.unsafeFlags(flags(folder) + ["-use-ld=lld"] + order.flatMap { ["-Xlinker", $0] })]
    } ?? []
}

// Without shared libraries, glibc included, a program starts in a third of the time. It can't load libmagic when it runs, so
// libmagic.a is linked in, with what it needs.
let linkedWhole = linked { _ in
    ["-static-executable"] + ["-u", "magic_open", "-lmagic", "-lbz2", "-llzma", "-lz"].flatMap { ["-Xlinker", $0] }
}

// formwork-transfer needs glibc's shared libraries, which resolve host names, but no others: the compiler names two, of which the
// folder has only the static versions. Equal functions are stored once, and none is exported.
let linkedExceptGlibc = linked { folder in
    ["-L", folder, "-Xclang-linker", "-static-libgcc"]
        + ["--icf=safe", "--no-export-dynamic"].flatMap { ["-Xlinker", $0] }
}

/// The packages, their oldest versions, and what is used of them.
let packages: [(name: String, from: Version, products: String)] = [
    ("apple/swift-system", "1.8.0", "SystemPackage"),
    ("apple/swift-argument-parser", "1.8.0", "ArgumentParser"),
    ("apple/swift-nio", "2.100.0", "NIOCore NIOPosix NIOHTTP1 NIOTLS NIOConcurrencyHelpers NIOEmbedded"),
    ("apple/swift-http-types", "1.4.0", "HTTPTypes"),
    // Not StructuredFieldValues: it brings all of Foundation, with 30 MB of ICU, into each executable.
    ("apple/swift-http-structured-headers", "1.4.0", "RawStructuredFieldValues"),
    ("apple/swift-nio-ssl", "2.34.0", "NIOSSL"),
    ("apple/swift-nio-http2", "1.38.0", "NIOHTTP2"),
    ("apple/swift-nio-extras", "1.30.0", "NIOExtras NIOHTTPTypes NIOHTTPTypesHTTP1 NIOHTTPTypesHTTP2"),
    ("apple/swift-log", "1.6.0", "Logging"),
    ("swift-server/async-http-client", "1.30.0", "AsyncHTTPClient"),
    ("swift-server/swift-service-lifecycle", "2.8.0", "ServiceLifecycle UnixSignals"),
    ("hummingbird-project/hummingbird", "2.20.0", "Hummingbird HummingbirdCore HummingbirdTesting"),
]

func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

/// Modules of this package, and products of others. The latter are resolved only with the trait.
func dependencies(_ names: [String], trait: String?) -> [Target.Dependency] {
    names.flatMap(words).map { name in
        guard let package = packages.first(where: { words($0.products).contains(name) })?.name else {
            return .byName(name: name)
        }
        let traits = name == "SystemPackage" ? nil : trait.map { Set([$0]) }
        return .product(
            name: name, package: String(package.split(separator: "/")[1]),
            condition: traits.flatMap { .when(traits: $0) })
    }
}

/// A product of one module. FormworkValues is found when a program runs: what it says of Date and Data holds without an import.
func library(_ name: String) -> Product {
    .library(name: name, targets: name == "Formwork" ? ["Formwork", "FormworkValues"] : [name])
}

let package = Package(
    name: "formwork",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        "FormworkCore", "Formwork", "FormworkURLEncoded", "FormworkFoundation", "FormworkMigration", "FormworkTesting",
        "FormworkDigests", "FormworkMagic",
    ].map(library),
    traits: [
        .trait(
            name: "NIO", description: "FormworkHTTP, FormworkNIO, FormworkResumable (swift-nio, swift-http-types)."),
        .trait(name: "Client", description: "FormworkClient (async-http-client).", enabledTraits: ["NIO"]),
        .trait(name: "Hummingbird", description: "FormworkHummingbird (hummingbird).", enabledTraits: ["NIO"]),
        .trait(
            name: "Command", description: "The executables (swift-argument-parser).",
            enabledTraits: ["Client", "Hummingbird"]),
        .default(enabledTraits: isRoot && !isLibrary ? ["Command"] : []),
    ]
)

if !isLibrary {
    let names = ["FormworkHTTP", "FormworkNIO", "FormworkResumable", "FormworkClient", "FormworkHummingbird"]
    package.products += names.map(library)
    package.products += [
        .executable(name: "formwork", targets: ["FormworkMain"]),
        .executable(name: "formwork-transfer", targets: ["FormworkTransferMain"]),
    ]
}
package.dependencies = packages.prefix(isLibrary ? 1 : packages.count).map { name, from, _ in
    let url = "https://github.com/\(name)"
    // Hummingbird's own traits would bring its client's packages.
    return name.hasSuffix("/hummingbird")
        ? .package(url: url, from: from, traits: []) : .package(url: url, from: from)
}

/// Adds a target, unless it is left out because it needs a trait.
@MainActor func add(_ trait: String?, _ target: @autoclosure () -> Target) {
    if trait == nil || !isLibrary { package.targets.append(target()) }
}
@MainActor func module(
    _ name: String, _ names: String..., trait: String? = nil, path: String? = nil, resources: [Resource]? = nil,
    settings: [SwiftSetting] = settings
) {
    let dependencies = dependencies(names, trait: trait)
    add(
        trait,
        .target(
            name: name, dependencies: dependencies, path: path, resources: resources, swiftSettings: settings))
}
@MainActor func executable(_ name: String, _ names: String..., linked: [LinkerSetting]) {
    let dependencies = dependencies(names, trait: "Command")
    add(
        "Command",
        .executableTarget(
            name: name, dependencies: dependencies, swiftSettings: settings, linkerSettings: linked))
}
@MainActor func tests(_ name: String, _ names: String..., trait: String? = nil) {
    let dependencies = dependencies(names, trait: trait)
    add(trait, .testTarget(name: name, dependencies: dependencies, swiftSettings: testSettings))
}

// C: bytes, the kernel's calls, digests, sockets for tests, and libmagic, which is looked for when the program runs.
package.targets = words("CFormworkBytes CFormworkSystem CFormworkDigests CFormworkSockets")
    .map { .target(name: $0) }
package.targets += [.target(name: "CMagic", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))])]

// The lifetimes are for Array+Span.swift, which only Apple's systems before 26 need.
let apple: [Platform] = [.macOS, .iOS, .tvOS, .watchOS, .visionOS]
module(
    "FormworkCore", "CFormworkBytes",
    settings: settings + [.enableExperimentalFeature("Lifetimes", .when(platforms: apple))])
module("FormworkURLEncoded", "FormworkCore")
module("FormworkDigests", "FormworkCore CFormworkDigests")
module("FormworkMagic", "FormworkCore CMagic")
// The C library, and Foundation without its larger parts: their modules have other names on other systems.
module("FormworkLibc")
module("FormworkEssentials")
// What the kernel gives, with types, and what waits.
module("FormworkSystem", "FormworkCore FormworkLibc CFormworkSystem SystemPackage")
module("Formwork", "CFormworkBytes FormworkCore FormworkURLEncoded FormworkSystem SystemPackage")
// How Formwork codes Foundation's values; Formwork itself is linked without Foundation.
module("FormworkValues", "FormworkEssentials Formwork SystemPackage")
module(
    "FormworkFoundation", "FormworkSystem Formwork FormworkValues FormworkURLEncoded SystemPackage")
// Alamofire's, AFNetworking's, Facebook's and the iOS Recipes' interfaces.
module(
    "FormworkMigration",
    "FormworkSystem Formwork FormworkFoundation FormworkURLEncoded FormworkValues SystemPackage")
// For tests of what sends forms and what takes them; its sockets are its own, so it needs no trait.
module("FormworkTesting", "FormworkEssentials Formwork FormworkCore FormworkValues CFormworkSockets SystemPackage")

module("FormworkHTTP", "FormworkEssentials Formwork SystemPackage HTTPTypes", trait: "NIO")
module(
    "FormworkResumable",
    "FormworkEssentials Formwork FormworkDigests FormworkHTTP FormworkSystem FormworkValues SystemPackage",
    "HTTPTypes RawStructuredFieldValues", trait: "NIO", settings: smallSettings)
module(
    "FormworkNIO", "Formwork FormworkSystem FormworkValues SystemPackage NIOCore NIOHTTP1 HTTPTypes", trait: "NIO")
module(
    "FormworkClient",
    "FormworkEssentials Formwork FormworkDigests FormworkHTTP FormworkNIO FormworkResumable FormworkSystem",
    "FormworkValues SystemPackage NIOCore NIOPosix NIOHTTP1 NIOHTTP2 NIOSSL NIOTLS NIOExtras NIOHTTPTypes NIOHTTPTypesHTTP1",
    "NIOHTTPTypesHTTP2 HTTPTypes AsyncHTTPClient", trait: "Client", settings: smallSettings)
// What needs only Hummingbird's server, and not its router: the receiver is smaller without that.
module(
    "FormworkHummingbirdCore",
    "FormworkHTTP NIOCore NIOHTTP1 NIOHTTPTypes NIOHTTPTypesHTTP1 HTTPTypes Logging",
    "HummingbirdCore", trait: "Hummingbird")
module(
    "FormworkHummingbird",
    "Formwork FormworkHTTP FormworkHummingbirdCore FormworkNIO FormworkResumable FormworkValues SystemPackage",
    "NIOCore NIOConcurrencyHelpers NIOHTTP1 NIOHTTPTypes HTTPTypes Logging Hummingbird HummingbirdCore",
    trait: "Hummingbird")
// The command's verbs. Those that need a network have an executable of their own: it takes longer to start than the others
// take to do their work.
module(
    "FormworkCommand",
    "FormworkEssentials Formwork FormworkDigests FormworkMagic FormworkSystem FormworkURLEncoded SystemPackage",
    "ArgumentParser", trait: "Command", resources: [.embedInCode("Arguments/Resources")], settings: smallSettings)
// The verbs receive and link. The page is in the code, not in a bundle: the command is one file, wherever it is copied to.
module(
    "FormworkReceiver",
    "FormworkEssentials Formwork FormworkClient FormworkCommand FormworkDigests FormworkHTTP FormworkHummingbirdCore",
    "FormworkNIO FormworkResumable FormworkSystem FormworkURLEncoded FormworkValues SystemPackage ArgumentParser NIOCore",
    "NIOHTTP1 NIOPosix NIOSSL HTTPTypes NIOHTTP2 NIOExtras NIOHTTPTypes NIOHTTPTypesHTTP2 AsyncHTTPClient Logging",
    "ServiceLifecycle UnixSignals HummingbirdCore", trait: "Command",
    resources: [.embedInCode("Page/Resources")], settings: smallSettings)
// The verb send.
module(
    "FormworkTransfer",
    "FormworkEssentials Formwork FormworkClient FormworkCommand FormworkHTTP FormworkNIO FormworkResumable",
    "FormworkSystem FormworkURLEncoded FormworkValues SystemPackage ArgumentParser NIOCore HTTPTypes", trait: "Command",
    settings: smallSettings)
executable(
    "FormworkMain", "FormworkCommand FormworkSystem SystemPackage ArgumentParser", linked: linkedWhole)
executable(
    "FormworkTransferMain", "FormworkCommand FormworkReceiver FormworkTransfer ArgumentParser",
    linked: linkedExceptGlibc)

// What more than one of the tests needs.
module("TestSupport", "FormworkCore SystemPackage", path: "Tests/TestSupport", settings: testSettings)
tests("FormworkCoreTests", "FormworkCore TestSupport")
tests("FormworkDigestsTests", "FormworkCore FormworkDigests")
tests("FormworkURLEncodedTests", "FormworkCore FormworkURLEncoded TestSupport")
tests("FormworkMagicTests", "Formwork FormworkMagic SystemPackage")
tests("FormworkTests", "Formwork FormworkCore FormworkDigests FormworkSystem TestSupport SystemPackage")
tests(
    "FormworkFoundationTests",
    "Formwork FormworkFoundation FormworkMigration FormworkURLEncoded FormworkValues TestSupport",
    "SystemPackage")
tests("FormworkTestingTests", "Formwork FormworkFoundation FormworkTesting TestSupport SystemPackage")
tests(
    "DocumentationTests",
    "Formwork FormworkFoundation FormworkMagic FormworkMigration FormworkTesting FormworkURLEncoded",
    "SystemPackage")
tests(
    "FormworkHTTPTests", "Formwork FormworkCore FormworkHTTP FormworkResumable TestSupport HTTPTypes SystemPackage",
    trait: "NIO")
tests(
    "FormworkNIOTests",
    "Formwork FormworkClient FormworkCore FormworkHTTP FormworkNIO FormworkResumable TestSupport",
    "SystemPackage NIOCore NIOPosix NIOEmbedded NIOHTTP1 NIOSSL NIOHTTP2 NIOHTTPTypes NIOHTTPTypesHTTP1",
    "NIOHTTPTypesHTTP2 HTTPTypes AsyncHTTPClient", trait: "Client")
tests(
    "FormworkHummingbirdTests",
    "Formwork FormworkClient FormworkHTTP FormworkHummingbird FormworkHummingbirdCore FormworkNIO",
    "FormworkResumable TestSupport SystemPackage NIOCore NIOEmbedded NIOHTTP1 NIOHTTPTypes NIOPosix HTTPTypes",
    "Logging Hummingbird HummingbirdTesting AsyncHTTPClient", trait: "Command")
tests(
    "FormworkReceiverTests",
    "Formwork FormworkClient FormworkCommand FormworkDigests FormworkHTTP FormworkNIO FormworkReceiver",
    "FormworkResumable FormworkSystem TestSupport SystemPackage NIOCore NIOEmbedded NIOHTTP1 NIOHTTPTypes",
    "HTTPTypes AsyncHTTPClient Hummingbird Logging ServiceLifecycle FormworkHummingbirdCore", trait: "Command")
tests(
    "FormworkCommandTests", "FormworkCommand FormworkReceiver FormworkTransfer TestSupport SystemPackage",
    trait: "Command")
