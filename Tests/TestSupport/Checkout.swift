import Foundation

/// The checkout that these tests are of.
package enum Checkout {
    package static let folder = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }

    /// A file or folder of it, by its path.
    package static func url(_ path: String) -> URL { self.folder.appendingPathComponent(path) }
}
