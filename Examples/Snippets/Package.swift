// swift-tools-version: 6.2
import PackageDescription

// The snippets of the README and the articles, in a package that depends on Formwork as their readers' packages do.
// Tests/Documentation is a link to the files that the documentation tests compare with the pages.
func formwork(_ name: String) -> Target.Dependency { .product(name: name, package: "formwork") }

let package = Package(
    name: "snippets",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "formwork", path: "../..")],
    targets: [
        .testTarget(
            name: "Documentation",
            dependencies: [
                formwork("Formwork"), formwork("FormworkURLEncoded"), formwork("FormworkFoundation"),
                formwork("FormworkMigration"), formwork("FormworkMagic"), formwork("FormworkTesting"),
            ],
            swiftSettings: [.enableUpcomingFeature("MemberImportVisibility")])
    ]
)
