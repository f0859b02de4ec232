// swift-tools-version: 6.2
import PackageDescription

// As a user's package: what is fast only inside Formwork's own build isn't fast.
let package = Package(
    name: "forms",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "formwork", path: "../../..", traits: ["Hummingbird"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
    ],
    targets: [
        .target(name: "Forms", dependencies: [.product(name: "Formwork", package: "formwork")]),
        .executableTarget(
            name: "forms-bench",
            dependencies: [
                "Forms",
                .product(name: "Formwork", package: "formwork"),
                .product(name: "FormworkHummingbird", package: "formwork"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        .executableTarget(
            name: "forms-count",
            dependencies: [
                "Forms", .product(name: "Formwork", package: "formwork"),
                .product(name: "FormworkMigration", package: "formwork"),
                .product(name: "FormworkURLEncoded", package: "formwork"),
            ]),
    ]
)
