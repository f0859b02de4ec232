import FormworkEssentials

/// Where the large files of a form are in its bytes, as far as these have arrived.
package struct FormMap: Codable, Hashable, Sendable {
    /// The content of a file.
    package struct File: Codable, Hashable, Sendable {
        var start: Int64
        var end: Int64
        /// `nil` if it wasn't computed.
        package var sha256: Data?

        package var range: Range<Int64> { self.start..<self.end }
    }

    /// What the parser needs to continue here, in another process too.
    package struct Position: Codable, Hashable, Sendable {
        enum Location: String, Codable, Sendable {
            /// Before the first part.
            case preamble
            /// In a part's header section.
            case header
            case content
            /// After the close delimiter.
            case end
        }

        /// The form's bytes up to here.
        package var count: Int64
        var place: Location
        /// The last of these bytes: of a preamble or header section all, of content those that may begin a delimiter.
        var held = Data()
        /// Where the content begins; `nil` outside of content.
        var content: Int64?
        /// Whether it is a file's content.
        var isFile = false
        /// The state of the file's SHA-256 before the bytes that are held; `nil` if it isn't computed.
        var digest: Data?

        /// Whether its numbers fit together.
        package var isUsable: Bool {
            0...(1 << 59) ~= self.count && Int64(self.held.count) <= self.count
                && (self.content.map { 0...self.count ~= $0 } ?? true)
        }
    }

    /// More aren't noted: the others are read when the form is complete.
    static let limit = 1_000

    package var files: [File] = []
    package var position: Position

    package init(files: [File] = [], position: Position) { (self.files, self.position) = (files, position) }

    /// Whether the files follow one another within the form's bytes.
    package var isUsable: Bool {
        var last: Int64 = 0
        for file in self.files {
            guard last <= file.start, file.start <= file.end else { return false }
            last = file.end
        }
        return self.position.isUsable && last <= self.position.count
    }
}
