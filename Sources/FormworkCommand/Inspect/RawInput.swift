#if Command
import Formwork

/// The bytes of a file, of standard input or of a captured message, with lookahead.
final class RawInput {
    /// Bytes of one read. Framing, chunks and parts may be cut anywhere.
    static let chunkBytes = 256 << 10

    /// The input's name in errors.
    let name: String
    /// `nil` for bytes in memory.
    private let reader: BodyReader?
    private var ahead: [UInt8] = []
    private var isAtEnd = false

    /// - Parameter file: `nil` and `-` mean standard input.
    init(_ file: String?) throws {
        let (name, source) = try TextInput.source(file)
        self.name = name
        self.reader = try TextInput.naming(name) { () throws(FormworkError) in
            try BodyPlan(copying: source).makeReader()
        }
    }

    /// - Parameter name: The input's name in errors.
    init(name: String, bytes: [UInt8]) { (self.name, self.reader, self.ahead) = (name, nil, bytes) }

    /// The next bytes; empty at the end.
    func next() throws(FormworkError) -> [UInt8] {
        guard self.ahead.isEmpty else {
            defer { self.ahead = [] }
            return self.ahead
        }
        return try self.read()
    }

    /// The next bytes, without consuming them: at least `count`, or fewer if the input ends before.
    func lookAhead(_ count: Int) throws(FormworkError) -> [UInt8] {
        while self.ahead.count < count, !self.isAtEnd, self.reader != nil { self.ahead += try self.read() }
        return self.ahead
    }

    /// Consumes bytes that were looked at.
    func skip(_ count: Int) { self.ahead.removeFirst(count) }

    private func read() throws(FormworkError) -> [UInt8] {
        guard !self.isAtEnd, let reader else { return [] }
        let bytes = try TextInput.naming(self.name) { () throws(FormworkError) in
            try reader.read(upTo: Self.chunkBytes)
        }
        self.isAtEnd = bytes.isEmpty
        return bytes
    }
}
#endif
