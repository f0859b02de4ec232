// swift-tools-version: 6.2
import PackageDescription

// The snippets of the README and the articles, in a package that depends on Formwork as their readers' packages do; a second
// time with the main actor as the default isolation, as new apps have it. Snippets is a link to the files that the
// documentation tests compare with the pages.
func snippets(_ name: String, _ settings: [SwiftSetting] = []) -> Target {
    let modules = [
        "Formwork", "FormworkURLEncoded", "FormworkFoundation", "FormworkMigration", "FormworkMagic", "FormworkTesting",
    ]
    return .testTarget(
        name: name, dependencies: modules.map { .product(name: $0, package: "formwork") },
        swiftSettings: [.enableUpcomingFeature("MemberImportVisibility")] + settings)
}

let package = Package(
    name: "snippets",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "formwork", path: "../..")],
    targets: [snippets("Documentation"), snippets("OnMainActor", [.defaultIsolation(MainActor.self)])]
)
