/// A received file's path, made safe for creating the file below a folder: folders, each one safe component as in
/// ``SafeFilename``, and the file's name.
package struct SafePath: Hashable, Sendable {
    /// Outermost first; empty for a file in the receiver's folder itself.
    package var folders: [SafeFilename]
    /// The file's name.
    package var name: SafeFilename

    /// The most nested folders of a path: twice as many as source trees need.
    package static let maximumDepth = 32
    /// The most bytes of a whole path. An object's key may have 1,024, so this leaves room for a prefix.
    package static let maximumBytes = 800

    package init(_ name: SafeFilename, in folders: [SafeFilename] = []) { (self.folders, self.name) = (folders, name) }

    /// Makes a path safe. Folders of which nothing is left, such as `..`, are dropped.
    /// - Parameter limit: The most bytes of a component.
    /// - Returns: `nil` if nothing is left of its last component: `a/..` names no file, and certainly not `a`.
    package init?(_ path: String, limit: Int = 255) {
        // Both separators, as in a name; scalar by scalar, as a mark may follow a separator.
        let components = path.unicodeScalars.split { $0 == "/" || $0 == "\\" }
        guard let last = components.last, let name = SafeFilename(String(last), limit: limit) else { return nil }
        self.init(name, in: components.dropLast().compactMap { SafeFilename(String($0), limit: limit) })
    }

    /// The components with slashes between them.
    package var text: String { self.text(named: self.name.text) }

    /// The path of a file with that name in the same folder.
    package func text(named name: String) -> String { (self.folders.map(\.text) + [name]).joined(separator: "/") }

    /// Whether it is deeper or longer than allowed.
    package var isTooLong: Bool { self.folders.count > Self.maximumDepth || self.text.utf8.count > Self.maximumBytes }
}
