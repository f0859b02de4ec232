/// Planned content in a transfer encoding.
struct EncodedContent: Sendable {
    /// A position in quoted-printable at which encoding can begin.
    struct Mark: Sendable {
        /// The next byte of the content.
        var raw: Int64
        /// The next character of the encoded text.
        var encoded: Int64
        /// The number of characters already in the current line.
        var column: Int
    }

    /// The least distance between marks, and the most marks.
    private static let (stride, limit) = (Int64(256 << 10), Int64(4096))

    /// The content before it is encoded.
    let raw: BodyPlan
    let encoding: TransferEncoding
    /// The number of encoded characters; `nil` if it is unknown.
    private(set) var length: Int64?
    private(set) var marks = [Mark(raw: 0, encoded: 0, column: 0)]

    /// Plans `source`, and reads all of it if the encoding has to be measured.
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
            // Empty content has a known length. Content that can be read only once is not measured.
            if self.raw.contentLength == 0 || isMeasured && self.raw.isReplayable { try self.measure() }
        case .sevenBit(let allowsNUL):
            self.length = self.raw.contentLength
            // Small content in memory is checked at once, so that its error comes early.
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

    /// The best start for the character at `offset`: an encoder, the next byte of the content that it needs, and the
    /// number of characters to skip before the one at `offset`.
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
    /// The error without part and offset of content that was read separately. The reader of the body adds its own.
    var withoutPlace: FormworkError {
        var copy = self
        (copy.part, copy.offset) = (nil, nil)
        return copy
    }
}
