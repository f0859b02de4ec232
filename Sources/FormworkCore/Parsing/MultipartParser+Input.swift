// Unsafe code in this file: typed spans read as bytes.

extension MultipartParser {
    /// The next event in `chunk` from `position`, as ``next(in:from:)`` with a raw span.
    @inlinable
    public mutating func next(
        in chunk: Span<UInt8>, from position: inout Int
    ) throws(FormworkError) -> Event {
        // SAFETY: reading a span's bytes as bytes.
        try self.next(in: unsafe chunk.bytes, from: &position)
    }

    /// The next event in `chunk` from `position`, as ``next(in:from:)`` with a raw span.
    @inlinable
    public mutating func next(in chunk: [UInt8], from position: inout Int) throws(FormworkError) -> Event {
        // SAFETY: reading a span's bytes as bytes.
        try self.next(in: unsafe chunk.span.bytes, from: &position)
    }

    /// The next event in `chunk` from `position`. This and the ranges of content are indices of the slice.
    @inlinable
    public mutating func next(
        in chunk: ArraySlice<UInt8>, from position: inout Int
    ) throws(FormworkError) -> Event {
        let start = chunk.startIndex
        position -= start
        defer { position += start }
        // SAFETY: reading a span's bytes as bytes.
        let event = try self.next(in: unsafe chunk.span.bytes, from: &position)
        guard case .content(let range) = event else { return event }
        return .content(range.lowerBound + start..<range.upperBound + start)
    }
}
