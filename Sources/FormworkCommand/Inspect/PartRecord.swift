import Formwork
import FormworkDigests
import FormworkURLEncoded

/// What is printed about one part.
struct PartRecord {
    /// Its place, from 0.
    var index: Int
    var header: ReceivedHeader
    /// The position of its content in the body.
    var offset: Int64
    var length: Int64 = 0
    /// Lower-case hexadecimal digits; `nil` if it wasn't requested.
    var sha256: String?
    /// The first bytes of its content.
    var start: [UInt8] = []

    /// One object, as `inspect --json` prints it.
    var json: ParameterValue {
        .members([
            ("index", .integer(Int128(self.index))),
            ("name", .optional(self.header.name)),
            ("filename", .optional(self.header.filename)),
            ("isFile", .bool(self.header.isFile)),
            ("contentType", .optional(self.header.contentType)),
            ("headers", .fields(self.header.fields.map { ($0.name, $0.value) })),
            ("offset", .integer(Int128(self.offset))),
            ("length", .integer(Int128(self.length))),
            ("sha256", .optional(self.sha256)),
        ])
    }
}

/// Makes a record of every part and passes each on when it is complete, so a million parts need no more memory than
/// one.
struct PartRecorder: PartSink {
    /// Enough for a cell of the table.
    private static let startBytes = 128

    private let wantsDigest: Bool
    private let give: (PartRecord) throws -> Void
    /// Parts that began, complete or not.
    private(set) var count = 0
    private var record: PartRecord?
    private var digest: SHA256Digest?

    init(wantsDigest: Bool, _ give: @escaping (PartRecord) throws -> Void) {
        (self.wantsDigest, self.give) = (wantsDigest, give)
    }

    mutating func begin(_ header: ReceivedHeader, at offset: Int64) {
        self.record = PartRecord(index: self.count, header: header, offset: offset)
        self.count += 1
        self.digest = self.wantsDigest ? SHA256Digest() : nil
    }

    mutating func take(_ bytes: [UInt8], _ range: Range<Int>) {
        guard var record = self.record else { return }
        self.record = nil
        record.length += Int64(range.count)
        if record.start.count < Self.startBytes {
            record.start += bytes[range].prefix(Self.startBytes - record.start.count)
        }
        self.record = record
        bytes.withRawSpan { self.digest?.update($0.extracting(range)) }
    }

    mutating func end() throws {
        guard var record = self.record else { return }
        record.sha256 = self.digest.map { DigestValue(algorithm: SHA256Digest.algorithm, bytes: $0.finalized()).hex }
        try self.give(record)
    }
}

extension Finding {
    /// The finding as `inspect --lint --json` prints it.
    var json: ParameterValue {
        .members([
            ("severity", .text(self.oddity.severity.rawValue)), ("rule", .text(self.oddity.rawValue)),
            ("section", .text(self.oddity.section)), ("part", self.part?.json ?? .null),
            ("offset", .optional(self.offset)), ("message", .text(self.message)),
        ])
    }
}

extension PartReference {
    fileprivate var json: ParameterValue {
        .members([
            ("index", .integer(Int128(self.index))),
            ("enclosing", .array(self.enclosing.map { .integer(Int128($0)) })), ("name", .optional(self.name)),
        ])
    }
}
