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

    /// Writes the whole body to a descriptor; see ``BodyReader/write(to:)``. It blocks, and cancelling the task doesn't end
    /// it: a task that can be cancelled reads ``chunks(of:options:)``.
    @discardableResult
    public func write(
        to descriptor: FileDescriptor, options: ReaderOptions = ReaderOptions()
    ) throws(FormworkError) -> Int64 {
        try self.makeReader(options: options).write(to: descriptor)
    }

    /// Writes the whole body to a file that appears only when it is complete, and replaces an existing file; see
    /// ``BodyReader/write(toFile:durably:)``. It blocks, and cancelling the task doesn't end it.
    @discardableResult
    public func write(
        toFile path: some PathConvertible, durably: Bool = false, options: ReaderOptions = ReaderOptions()
    ) throws(FormworkError) -> Int64 {
        try self.makeReader(options: options).write(toFile: path, durably: durably)
    }
}
