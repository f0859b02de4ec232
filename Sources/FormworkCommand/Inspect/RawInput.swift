#if Command
import Formwork

/// The bytes of a file or of standard input, as they come, with a look ahead.
final class RawInput {
    /// What is read at once: framing, chunks and parts cut it anywhere.
    static let chunkBytes = 256 << 10

    /// What errors call it.
    let name: String
    private let reader: BodyReader
    private var ahead: [UInt8] = []
    private var isAtEnd = false

    /// - Parameter file: `nil` and `-` are standard input.
    init(_ file: String?) throws {
        let (name, source) = try TextInput.source(file)
        self.name = name
        self.reader = try TextInput.naming(name) { () throws(FormworkError) in
            try BodyPlan(copying: source).makeReader()
        }
    }

    /// The next bytes; none at the end.
    func next() throws(FormworkError) -> [UInt8] {
        guard self.ahead.isEmpty else {
            defer { self.ahead = [] }
            return self.ahead
        }
        return try self.read()
    }

    /// The bytes that come next, without using them up: at least `count` unless the end comes before.
    func lookAhead(_ count: Int) throws(FormworkError) -> [UInt8] {
        while self.ahead.count < count, !self.isAtEnd { self.ahead += try self.read() }
        return self.ahead
    }

    /// Uses up bytes that were looked at.
    func skip(_ count: Int) { self.ahead.removeFirst(count) }

    private func read() throws(FormworkError) -> [UInt8] {
        guard !self.isAtEnd else { return [] }
        let bytes = try TextInput.naming(self.name) { () throws(FormworkError) in
            try self.reader.read(upTo: Self.chunkBytes)
        }
        self.isAtEnd = bytes.isEmpty
        return bytes
    }
}
#endif
