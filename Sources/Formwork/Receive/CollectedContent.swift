import FormworkCore
import SystemPackage

/// The content of a part that has arrived whole, in memory or on disk.
public struct CollectedContent: Sendable {
    private enum Place: Sendable {
        case memory([UInt8])
        case disk(Spool, Range<Int64>)
    }

    private let place: Place

    init(_ bytes: [UInt8]) { self.place = .memory(bytes) }
    init(_ spool: Spool, _ range: Range<Int64>) { self.place = .disk(spool, range) }

    /// Bytes of it.
    public var count: Int64 {
        switch self.place {
        case .memory(let bytes): Int64(bytes.count)
        case .disk(_, let range): Int64(range.count)
        }
    }

    /// The bytes when they are in memory; `nil` when they are on disk.
    public var inMemory: [UInt8]? { if case .memory(let bytes) = self.place { bytes } else { nil } }

    /// The content as a source, to be sent on, read in chunks, or written to a file; as often as wanted.
    public var source: BodySource {
        switch self.place {
        case .memory(let bytes): .bytes(bytes)
        case .disk(let spool, let range): spool.source(range.lowerBound, Int64(range.count))
        }
    }

    /// The content in memory; the disk is read on a thread of its own.
    /// - Throws: ``FormworkError/Code/limitExceeded`` before anything is read when it has more than `limit` bytes, and
    ///   ``FormworkError/Code/sourceUnavailable``.
    public func bytes(upTo limit: Int) async throws -> [UInt8] {
        guard self.count <= Int64(limit) else {
            throw FormworkError(.limitExceeded, "the content has \(self.count) bytes: the limit is \(limit)")
        }
        if let bytes = self.inMemory { return bytes }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(self.count))
        for try await chunk in try self.chunks() { bytes += chunk }
        return bytes
    }

    /// The content as an async sequence that never blocks its consumer.
    /// - Parameter size: Bytes of a chunk at most, 1 or more.
    public func chunks(of size: Int = 256 << 10) throws(FormworkError) -> BodyChunks {
        try BodyPlan(copying: self.source).chunks(of: size)
    }

    /// Writes the content to a file that appears only when it is whole, on a thread of its own.
    /// - Parameters:
    ///   - path: The file to make.
    ///   - replacing: Whether a file that is there already is replaced; an error otherwise.
    ///   - durably: Whether to wait until the disk has the bytes before the file gets its name.
    /// - Throws: ``FormworkError/Code/writeFailed``. Nothing is left then, and what was there stays.
    public func write(toFile path: FilePath, replacing: Bool = false, durably: Bool = false) async throws {
        let writer = FileWriter()
        try await writer.open(path, replacing: replacing)
        for try await chunk in try self.chunks() { try await writer.write(chunk) }
        _ = try await writer.publish(durably: durably)
    }
}

extension FormData {
    /// A form of parts that were received, to be sent on: names, filenames, types and contents, in their order.
    ///
    /// Other header fields of a part are left out, as receivers do (RFC 7578 §4.8). A type that is no `type/subtype` goes
    /// out as it was received, unless it holds control characters: then none does, which means `text/plain` as that one did
    /// (RFC 2045 §5.2). A file whose name can't be read stays a file, with an empty name.
    public init(_ form: ReceivedForm, framing: MultipartFraming = MultipartFraming()) {
        self.init(framing: framing)
        for entry in form.entries {
            var header = PartHeader(name: entry.name, filename: entry.isFile ? entry.filename ?? "" : nil)
            header.takeReceivedType(entry.contentType)
            self.append(BodyPart(header: header, source: entry.content.source))
        }
    }
}

extension PartHeader {
    fileprivate mutating func takeReceivedType(_ type: String?) {
        guard let type else { return }
        if (try? Self.checkMediaType(type)) != nil {
            self.contentType = type
        } else if let field = try? HeaderField("Content-Type", type) {
            self.fields.append(field)
        }
    }
}
