import FormworkCore

/// Content in a transfer encoding, as the plan has it.
struct EncodedContent: Sendable {
    /// A place of quoted-printable at which encoding can begin.
    struct Mark: Sendable {
        /// The next byte of the content.
        var raw: Int64
        /// The next character of what goes out.
        var encoded: Int64
        /// Characters in the line begun.
        var column: Int
    }

    /// Marks are this far apart at least, and at most this many.
    private static let (stride, limit) = (Int64(256 << 10), Int64(4096))

    /// The content before it is encoded.
    let raw: BodyPlan
    let encoding: TransferEncoding
    /// Characters that go out; `nil` when only the end can tell.
    private(set) var length: Int64?
    private(set) var marks = [Mark(raw: 0, encoded: 0, column: 0)]

    /// Looks at `source`, and reads all of it where the encoding wants to be measured.
    init(_ source: BodySource, _ encoding: TransferEncoding, resolver: SourceResolver) throws(FormworkError) {
        try encoding.check()
        self.raw = try BodyPlan(copying: source, resolver: resolver)
        self.encoding = encoding
        switch encoding {
        case .base64(let columns):
            if let count = self.raw.contentLength {
                self.length = try Base64Encoder.encodedLength(of: count, columns: columns)
            }
        case .quotedPrintable(let isMeasured):
            // Nothing is as cheap to know as the length of nothing; and what can be read once is not read here.
            if self.raw.contentLength == 0 || isMeasured && self.raw.isReplayable { try self.measure() }
        case .sevenBit(let allowsNUL):
            self.length = self.raw.contentLength
            // What is in memory needs nobody to wait for its error.
            var bytes: [UInt8] = []
            var unused: [UInt8] = []
            var encoder = TransferEncoder.sevenBit(offset: 0, allowsNUL: allowsNUL)
            if source.appendIfSmall(to: &bytes) { try encoder.encode(bytes, isEnd: true, into: &unused) }
        case .eightBit, .binary: self.length = self.raw.contentLength
        }
    }

    private mutating func measure() throws(FormworkError) {
        let stride = max(Self.stride, (self.raw.contentLength ?? 0) / Self.limit)
        let reader = self.raw.makeReader()
        var encoder = QuotedPrintableEncoder()
        var (encoded, length) = ([UInt8](), Int64(0))
        do throws(FormworkError) {
            while true {
                let bytes = try reader.read(upTo: 64 << 10)
                encoded.removeAll(keepingCapacity: true)
                encoder.encode(bytes, isEnd: bytes.isEmpty, into: &encoded)
                length += Int64(encoded.count)
                guard !bytes.isEmpty else { break }
                let raw = reader.position - Int64(encoder.heldCount)
                if raw >= self.marks.last!.raw + stride {
                    self.marks.append(Mark(raw: raw, encoded: length, column: encoder.column))
                }
            }
        } catch {
            throw error.withoutPlace
        }
        self.length = length
    }

    /// Where to begin so as to have the character at `offset` soon: an encoder, the content's byte it wants next, and
    /// how many characters come before the one at `offset`.
    func place(of offset: Int64) -> (encoder: TransferEncoder, raw: Int64, surplus: Int64) {
        switch self.encoding {
        case .base64(let columns):
            let place = Base64Encoder.place(of: offset, columns: columns)
            return (
                .base64(Base64Encoder(columns: columns)), min(place.content, self.raw.contentLength ?? .max),
                place.surplus
            )
        case .quotedPrintable:
            let mark = self.marks[self.marks.partitioningIndex { $0.encoded > offset } - 1]
            return (.quotedPrintable(QuotedPrintableEncoder(column: mark.column)), mark.raw, offset - mark.encoded)
        case .sevenBit(let allowsNUL): return (.sevenBit(offset: offset, allowsNUL: allowsNUL), offset, 0)
        case .eightBit, .binary: preconditionFailure("goes out as it is")
        }
    }
}

extension FormworkError {
    /// The error without the part and offset of content that was read by itself: whoever knows the body adds its own.
    var withoutPlace: FormworkError {
        var copy = self
        (copy.part, copy.offset) = (nil, nil)
        return copy
    }
}
