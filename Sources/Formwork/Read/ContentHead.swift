import FormworkCore

extension MediaTypeDetection {
    /// The type of a source by itself.
    /// - Parameters:
    ///   - source: The content, of which the first bytes are read where they are wanted.
    ///   - filename: What the source is called; `nil` when it has no name.
    /// - Throws: ``FormworkError/Code/sourceUnavailable`` for what can't be read.
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
}

extension BodyPart {
    /// The content's first bytes, at most `limit`; fewer only when there are no more, and `nil` when it can't be looked
    /// into before its turn comes.
    func head(upTo limit: Int, resolver: SourceResolver) throws(FormworkError) -> [UInt8]? {
        var head: [UInt8] = []
        if self.source.appendIfSmall(to: &head) { return Array(head.prefix(limit)) }
        var sources: [PlannedSource] = []
        try resolver.resolve(self.source) { source throws(FormworkError) in sources.append(source) }
        return try sources.head(upTo: limit)
    }
}

extension [PlannedSource] {
    /// The first stream that is there once and gives no length, so that nothing is gained by waiting for it early.
    var firstToDefer: StreamSource? {
        for case .stream(let stream) in self where stream.length == nil {
            if case .once = stream.opening { return stream }
        }
        for case .encoded(let content) in self {
            if let stream = content.raw.storage.sources.firstToDefer { return stream }
        }
        return nil
    }

    /// The first bytes of these behind one another; `nil` when one of them can't be looked into.
    func head(upTo limit: Int) throws(FormworkError) -> [UInt8]? {
        var head: [UInt8] = []
        for source in self where head.count < limit {
            guard try source.appendHead(upTo: limit, to: &head) else { return nil }
        }
        return head
    }
}

extension PlannedSource {
    /// Appends the first bytes until there are `limit`.
    /// - Returns: Whether that is possible now, and leaves the bytes to be read again.
    fileprivate func appendHead(upTo limit: Int, to head: inout [UInt8]) throws(FormworkError) -> Bool {
        switch self {
        case .bytes, .file, .synthetic: return try self.appendRead(upTo: limit, to: &head)
        case .encoded, .parts: return false
        case .stream(let stream):
            switch stream.opening {
            // A FIFO's writer may write to another one first, and wait for that to be read.
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
                    throw (error as? FormworkError) ?? stream.readError(error)
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

/// A stream whose first bytes were looked at: it gives them first.
private final class HeadedStream: ByteStream {
    private var head: [UInt8] = []
    private var used = 0
    private var isAtEnd = false
    private var rest: any ByteStream

    init(_ stream: any ByteStream) { self.rest = stream }

    func peek(upTo limit: Int) throws -> [UInt8] {
        // A descriptor's writer may do something else before it goes on: what has come has to be enough.
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
        let count = buffer.copy(self.head, self.used..<self.head.count, at: 0)
        self.used += count
        return count
    }
}
