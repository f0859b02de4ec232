extension BodyPlan {
    /// The same body. One whose length is 0 was read by then: a server may answer an empty request before its source is
    /// read, and files of /proc have a size of 0 although they have content.
    /// - Throws: The source's error, and `lengthMismatch` for a stream that has bytes after all.
    package func checkedIfEmpty() async throws -> BodyPlan {
        guard self.contentLength == 0 else { return self }
        let empty = try await self.collected(upTo: 0, in: nil, checksFraming: false)
        // Bytes in memory replace only what can't be read again: a saved upload is recognized by its source.
        return self.isReplayable ? self : empty
    }

    /// The same body with the same `Content-Type`, collected in memory, or in a file without a name if it is large.
    /// - Parameters:
    ///   - memoryThreshold: The most bytes in memory.
    ///   - folder: The file's folder; `nil` for `$TMPDIR`, or `/tmp` without it.
    ///   - checksFraming: See ``ReaderOptions/checksFraming``.
    package func collected(
        upTo memoryThreshold: Int, in folder: FilePath?, checksFraming: Bool
    ) async throws -> BodyPlan {
        let reader = AsyncBodyReader(try self.makeReader(options: ReaderOptions(checksFraming: checksFraming)))
        var bytes: [UInt8] = []
        do {
            while bytes.count <= memoryThreshold {
                guard let chunk = try await reader.next() else { return try self.collected(as: .bytes(bytes)) }
                bytes += chunk
            }
            return try await self.collected(as: BodySpool(bytes, and: reader, in: folder).source)
        } catch {
            // A sequence that was cancelled throws its own error: report the cancellation instead.
            try Task.checkCancellation()
            throw error
        }
    }
}

extension BodyPlan {
    /// Reads the whole body into memory.
    /// - Parameter limit: The most bytes.
    /// - Throws: What ``BodyReader/collect(upTo:)`` throws.
    public func bytes(upTo limit: Int) throws(FormworkError) -> [UInt8] { try self.makeReader().collect(upTo: limit) }

    /// Reads the whole body into memory, files and streams on a separate thread. Async functions call this one.
    /// - Parameter limit: The most bytes.
    /// - Throws: ``FormworkError/Code/limitExceeded`` for more than `limit` bytes, before anything is read if the
    ///   length is known; what ``AsyncBodyReader/next()`` throws.
    public func bytes(upTo limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        if let length = self.contentLength {
            guard length <= Int64(limit) else { throw Self.tooLong(limit) }
            // A length may come from a peer and exceed the memory.
            bytes.reserveCapacity(Int(min(length, 1 << 20)))
        }
        for try await chunk in self.chunks() {
            guard chunk.count <= limit - bytes.count else { throw Self.tooLong(limit) }
            bytes += chunk
        }
        return bytes
    }

    private static func tooLong(_ limit: Int) -> FormworkError {
        FormworkError(.limitExceeded, "the content has more than \(max(0, limit), "byte")")
    }

    /// Writes the whole body to a descriptor; see ``BodyReader/write(to:)``. It blocks.
    @discardableResult
    public func write(
        to descriptor: FileDescriptor, options: ReaderOptions = ReaderOptions()
    ) throws(FormworkError) -> Int64 {
        try self.makeReader(options: options).write(to: descriptor)
    }

    /// Writes the whole body to a descriptor on a separate thread, also a body with an async sequence. Async functions call
    /// this one.
    /// - Returns: The number of bytes written.
    /// - Throws: What ``BodyReader/write(to:)`` throws, and `CancellationError`. Then some of the body was written.
    @discardableResult
    public func write(to descriptor: FileDescriptor, options: ReaderOptions = ReaderOptions()) async throws -> Int64 {
        try await self.threadReader(options).write(to: descriptor)
    }

    /// Writes the whole body to a file that appears only when it is complete; see
    /// ``BodyReader/write(toFile:replacing:durably:)``. It blocks.
    @discardableResult
    public func write(
        toFile path: some PathConvertible, replacing: Bool = false, durably: Bool = false,
        options: ReaderOptions = ReaderOptions()
    ) throws(FormworkError) -> Int64 {
        try self.makeReader(options: options).write(toFile: path, replacing: replacing, durably: durably)
    }

    /// Writes the whole body to a file on a separate thread, also a body with an async sequence. Async functions call this
    /// one.
    /// - Returns: The number of bytes written.
    /// - Throws: What ``BodyReader/write(toFile:replacing:durably:)`` throws, and `CancellationError`. Then no new file is
    ///   left, and an existing file is unchanged.
    @discardableResult
    public func write(
        toFile path: some PathConvertible, replacing: Bool = false, durably: Bool = false,
        options: ReaderOptions = ReaderOptions()
    ) async throws -> Int64 {
        try await self.threadReader(options).write(toFile: path.filePath, replacing: replacing, durably: durably)
    }

    func threadReader(_ options: ReaderOptions = ReaderOptions()) -> ThreadReader {
        ThreadReader(BodyReader(self, options: options), chunkSize: 0)
    }
}
