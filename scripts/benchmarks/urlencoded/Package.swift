// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "urlencoded-bench",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "formwork", path: "../../..", traits: [])],
    targets: [
        .executableTarget(
            name: "urlencoded-bench",
            dependencies: [.product(name: "FormworkURLEncoded", package: "formwork")])
    ]
)
