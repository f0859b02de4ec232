extension MediaTypeDetection {
    /// The type of a single source.
    /// - Parameters:
    ///   - source: The content. Its first bytes are read if they are needed.
    ///   - filename: The source's name; `nil` if it has none.
    /// - Throws: ``FormworkError/Code/sourceUnavailable`` if the source can't be read.
    public func choice(of source: BodySource, filename: String?) throws(FormworkError) -> MediaTypeChoice {
        var part = BodyPart(header: PartHeader(filename: filename), source: source)
        let resolver = SourceResolver()
        if self.headCount > 0 {
            part.decideType(by: self, head: try part.head(upTo: self.headCount, resolver: resolver))
        } else {
            try resolver.resolve(source) { _ throws(FormworkError) in }
            part.decideType(by: self, head: nil)
        }
        return part.typeChoice
    }

    /// The type of a single source, read on a separate thread. Async functions call this one.
    /// - Throws: What the synchronous function throws, and `CancellationError`.
    public func choice(of source: BodySource, filename: String?) async throws -> MediaTypeChoice {
        try await BlockingThread.run { () throws(FormworkError) in try self.choice(of: source, filename: filename) }
    }
}

extension BodyPart {
    /// The content's first bytes, at most `limit`, or fewer if it is shorter; `nil` if they can't be read before the
    /// body is read.
    func head(upTo limit: Int, resolver: SourceResolver) throws(FormworkError) -> [UInt8]? {
        var head: [UInt8] = []
        if self.source.appendIfSmall(to: &head) { return Array(head.prefix(limit)) }
        var sources: [PlannedSource] = []
        try resolver.resolve(self.source) { source throws(FormworkError) in sources.append(source) }
        return try sources.head(upTo: limit)
    }
}

extension Sequence<PlannedSource> {
    /// The first stream that can be read once and has no known length, so waiting for it early has no advantage.
    var firstToDefer: StreamSource? {
        for case .stream(let stream) in self where stream.length == nil {
            if case .once = stream.opening { return stream }
        }
        for case .encoded(let content) in self {
            if let stream = content.raw.storage.sources.firstToDefer { return stream }
        }
        return nil
    }

    /// The first bytes of these sources in order; `nil` if one of them can't be read yet.
    func head(upTo limit: Int) throws(FormworkError) -> [UInt8]? {
        var head: [UInt8] = []
        for source in self where head.count < limit {
            guard try source.appendHead(upTo: limit, to: &head) else { return nil }
        }
        return head
    }
}

extension PlannedSource {
    /// Appends first bytes until there are `limit`.
    /// - Returns: Whether that is possible now, and the reader still gets these bytes.
    fileprivate func appendHead(upTo limit: Int, to head: inout [UInt8]) throws(FormworkError) -> Bool {
        switch self {
        case .bytes, .file, .synthetic: return try self.appendRead(upTo: limit, to: &head)
        case .encoded, .parts: return false
        case .stream(let stream):
            switch stream.opening {
            // A FIFO's writer may first write to another FIFO, and wait until that is read.
            case .pull where !stream.isReplayable: return false
            case .pull: return try self.appendRead(upTo: limit, to: &head)
            case .chunks: return false
            case .once(let once):
                do {
                    let count = limit - head.count
                    head += try once.peek { stream in
                        let headed = (stream as? HeadedStream) ?? HeadedStream(stream)
                        stream = headed
                        return try headed.peek(upTo: count)
                    }
                } catch {
                    throw stream.named(error)
                }
                return true
            }
        }
    }

    private func appendRead(upTo limit: Int, to head: inout [UInt8]) throws(FormworkError) -> Bool {
        let cursor = try self.makeCursor(at: 0)
        while head.count < limit, !cursor.isFinished {
            let count = head.count
            try head.append(upTo: limit - count) { room throws(FormworkError) in try cursor.read(into: &room) }
            if head.count == count { break }
        }
        return true
    }
}

/// A stream whose first bytes were read ahead. It returns them first.
private final class HeadedStream: ByteStream {
    private var head: [UInt8] = []
    private var used = 0
    private var isAtEnd = false
    private var rest: any ByteStream

    init(_ stream: any ByteStream) { self.rest = stream }

    func peek(upTo limit: Int) throws -> [UInt8] {
        // A descriptor's writer may pause, so the bytes that are available have to be enough.
        let descriptor = self.rest as? DescriptorStream
        while self.head.count < limit, !self.isAtEnd, try self.head.isEmpty || descriptor?.isReady ?? true {
            let count = self.head.count
            try self.head.append(upTo: limit - count) { room in try self.rest.readChecked(into: &room) }
            self.isAtEnd = self.head.count == count
        }
        return Array(self.head.prefix(limit))
    }

    func read(into buffer: inout MutableRawSpan) throws -> Int {
        guard self.used < self.head.count else { return self.isAtEnd ? 0 : try self.rest.read(into: &buffer) }
        let count = RawBytes.copy(self.head, self.used..<self.head.count, to: &buffer)
        self.used += count
        return count
    }
}
