// swift-tools-version: 6.2
import Foundation
import PackageDescription

// multipart-kit isn't a dependency, and isn't fetched: MULTIPART_KIT names a folder with its sources.
guard let sources = ProcessInfo.processInfo.environment["MULTIPART_KIT"] else {
    fatalError("set MULTIPART_KIT to a folder with the sources of multipart-kit 5")
}

let package = Package(
    name: "multipart-kit-bench",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "multipart-kit", path: sources)],
    targets: [
        .executableTarget(
            name: "multipart-kit-bench", dependencies: [.product(name: "MultipartKit", package: "multipart-kit")])
    ]
)
