/// A received file's path made fit to be created below a folder of the receiver's: folders, each of them one safe
/// component as ``SafeFilename`` makes it, and the file's name.
package struct SafePath: Hashable, Sendable {
    /// From the outermost on; empty for a file of the receiver's folder itself.
    package var folders: [SafeFilename]
    /// The file's name.
    package var name: SafeFilename

    /// Folders inside of each other that a path may have. Ours: twice what source trees need.
    package static let maximumDepth = 32
    /// Bytes of a whole path. Ours: leaves an object's key, which may have 1,024, room for a prefix.
    package static let maximumBytes = 800

    package init(_ name: SafeFilename, in folders: [SafeFilename] = []) { (self.folders, self.name) = (folders, name) }

    /// Makes a path safe. Components of which nothing is left, `..` say, are left out.
    /// - Parameter limit: Bytes that a component may have.
    /// - Returns: `nil` when nothing is left of it.
    package init?(_ path: String, limit: Int = 255) {
        // Both separators, as in a name; scalar by scalar, as a mark may follow a separator.
        let components = path.unicodeScalars.split { $0 == "/" || $0 == "\\" }
        var safe = components.compactMap { SafeFilename(String($0), limit: limit) }
        guard let name = safe.popLast() else { return nil }
        self.init(name, in: safe)
    }

    /// The components with slashes between them.
    package var text: String { self.text(named: self.name.text) }

    /// The path of a file of that name in the same folder.
    package func text(named name: String) -> String { (self.folders.map(\.text) + [name]).joined(separator: "/") }

    /// Whether it is deeper or longer than is taken.
    package var isTooLong: Bool { self.folders.count > Self.maximumDepth || self.text.utf8.count > Self.maximumBytes }
}
