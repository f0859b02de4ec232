// swift-tools-version: 6.2
import PackageDescription

// As a user's package: it has only the public interface. scripts/build links it as it links the command, without shared
// libraries; see Package.swift of formwork.
let linkedWhole: [LinkerSetting] =
    Context.environment["FORMWORK_STATIC"].map { folder in
        [
            .unsafeFlags(
                [
                    "-static-executable", "-Xlinker", "-u", "-Xlinker", "magic_open", "-Xlinker", "-lmagic", "-Xlinker",
                    "-lbz2", "-Xlinker", "-llzma", "-Xlinker", "-lz", "-use-ld=lld", "-Xlinker",
                    "--symbol-ordering-file=\(folder)/startup-order", "-Xlinker", "--no-warn-symbol-ordering",
                ])
        ]
    } ?? []

let package = Package(
    name: "formwork-bench",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "formwork", path: "../../..", traits: []),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
    ],
    targets: [
        .executableTarget(
            name: "formwork-bench",
            dependencies: [
                .product(name: "Formwork", package: "formwork"),
                .product(name: "FormworkMagic", package: "formwork"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ],
            linkerSettings: linkedWhole)
    ]
)
