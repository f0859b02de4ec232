import FormworkCore

/// The pairs of a url-encoded text, split and unescaped into one buffer, but not yet decoded into text.
public struct URLEncodedPairs: RandomAccessCollection, Sendable {
    /// A pair; its bytes are slices of the common buffer.
    public struct Element: Sendable {
        /// The bytes before `=`, or all of them.
        public let nameBytes: ArraySlice<UInt8>
        /// The bytes after `=`; `nil` if there is no `=`.
        public let valueBytes: ArraySlice<UInt8>?

        /// The name as text, with U+FFFD for bytes that aren't UTF-8.
        public var name: String { String(decoding: self.nameBytes, as: UTF8.self) }
        /// The value as text, with U+FFFD for bytes that aren't UTF-8; `nil` if there is no `=`.
        public var value: String? { self.valueBytes.map { String(decoding: $0, as: UTF8.self) } }
        /// Name and value as text.
        var pair: URLEncodedPair { URLEncodedPair(self.name, self.value) }
    }

    /// The position of a pair: the value follows the name.
    private struct Bounds {
        var start: UInt32
        var nameEnd: UInt32
        var end: UInt32
        var hasValue: Bool
        var name: Unescaper.Text
        var value: Unescaper.Text
    }

    private var buffer: [UInt8]
    /// All names and values.
    package var bytes: [UInt8] { self.buffer }
    private var bounds: [Bounds] = []

    /// Splits `text` into pairs in one pass, without an allocation per pair.
    /// - Throws: ``FormworkError/Code/limitExceeded`` with the limit's name; ``FormworkError/Code/malformedBody`` for
    ///   text that `rules` refuse. Both with the offset.
    public init(_ text: [UInt8], rules: URLEncodedParsing = URLEncodedParsing()) throws(FormworkError) {
        let limit = Swift.min(rules.limits.bytes, Int(UInt32.max))
        guard text.count <= limit else {
            throw FormworkError(
                .limitExceeded, "the text has \(text.count, "byte"), but at most \(limit) are allowed (limits.bytes)")
        }
        var buffer: [UInt8] = []
        var bounds: Result<[Bounds], FormworkError> = .success([])
        unsafe text.withUnsafeBufferPointer { source in
            buffer.append(addingCapacity: source.count) { room in
                unsafe room.withUnsafeMutableBufferPointer { room, written in
                    (bounds, written) = unsafe Self.parse(source, into: room, rules)
                }
            }
        }
        (self.buffer, self.bounds) = (buffer, try bounds.get())
        self.bounds = try self.bounds.distinct(rules.duplicates) {
            buffer[Int($0.start)..<Int($0.nameEnd)]
        } repeated: {
            let name = String(decoding: buffer[Int($0.start)..<Int($0.nameEnd)], as: UTF8.self)
            return FormworkError(.malformedBody, "\"\(name)\" occurs more than once")
        }
    }

    /// Splits `text` into pairs.
    /// - Throws: What ``init(_:rules:)-([UInt8],_)`` throws.
    public init(_ text: String, rules: URLEncodedParsing = URLEncodedParsing()) throws(FormworkError) {
        try self.init(Array(text.utf8), rules: rules)
    }

    /// 0.
    public var startIndex: Int { 0 }
    /// The number of pairs.
    public var endIndex: Int { self.bounds.count }

    /// The pair at an index.
    public subscript(index: Int) -> Element {
        let bounds = self.bounds[index]
        let nameEnd = Int(bounds.nameEnd)
        return Element(
            nameBytes: self.buffer[Int(bounds.start)..<nameEnd],
            valueBytes: bounds.hasValue ? self.buffer[nameEnd..<Int(bounds.end)] : nil)
    }

    /// The place of a pair in ``bytes``: its value follows its name.
    package func place(_ index: Int) -> (start: Int, nameEnd: Int, end: Int) {
        let bounds = self.bounds[index]
        return (Int(bounds.start), Int(bounds.nameEnd), Int(bounds.hasValue ? bounds.end : bounds.nameEnd))
    }

    /// All pairs as text.
    public var pairs: [URLEncodedPair] {
        unsafe self.buffer.withUnsafeBufferPointer { buffer in
            self.bounds.map { bounds in
                let (start, nameEnd, end) = (Int(bounds.start), Int(bounds.nameEnd), Int(bounds.end))
                // SAFETY: `parse` makes bounds within the buffer; slicing checks them in debug builds.
                let name = unsafe UnsafeBufferPointer(rebasing: buffer[start..<nameEnd])
                let value = unsafe UnsafeBufferPointer(rebasing: buffer[nameEnd..<end])
                return URLEncodedPair(
                    unsafe String(decoding: name, knownAs: bounds.name),
                    bounds.hasValue ? unsafe String(decoding: value, knownAs: bounds.value) : nil)
            }
        }
    }

    private static func parse(
        _ source: UnsafeBufferPointer<UInt8>, into room: UnsafeMutableBufferPointer<UInt8>, _ rules: URLEncodedParsing
    ) -> (Result<[Bounds], FormworkError>, written: Int) {
        guard var unescaper = unsafe Unescaper(room: room, readsPlusAsSpace: rules.readsPlusAsSpace) else {
            return (.success([]), 0)
        }
        let limits = rules.limits
        var bounds: [Bounds] = []
        // Enough for short pairs; longer ones need less, and for even shorter ones it grows.
        bounds.reserveCapacity(Swift.min(limits.pairs, source.count / 16 + 1))
        var (index, pairs) = (0, 0)
        while index < source.count {
            let from = index
            let start = unescaper.count
            var stop = unsafe unescaper.run(source, from: &index, stopsAtEquals: true)
            let nameEnd = unescaper.count
            let name = unescaper.text
            let hasValue = stop == .equals
            if hasValue { stop = unsafe unescaper.run(source, from: &index, stopsAtEquals: false) }
            let length = index - from - (stop == .end ? 0 : 1)
            guard length > 0 else { continue }
            pairs += 1
            if pairs > limits.pairs || length > limits.pairBytes {
                return (.failure(limits.exceeded(pairs: pairs, length: length, offset: from)), 0)
            }
            var isDropped = false
            if let place = unescaper.invalidEscape {
                unescaper.invalidEscape = nil
                switch rules.invalidEscapes {
                case .kept: break
                case .dropsPair: isDropped = true
                case .refused:
                    let message = "\"%\" without two hexadecimal digits after it"
                    return (.failure(FormworkError(.malformedBody, message, offset: Int64(place))), 0)
                }
            }
            if rules.invalidText != .kept, !isDropped,
                name == .unknown && !unescaper.isUTF8(start..<nameEnd)
                    || hasValue && unescaper.text == .unknown && !unescaper.isUTF8(nameEnd..<unescaper.count)
            {
                if rules.invalidText == .refused {
                    let message = "a pair that isn't UTF-8"
                    return (.failure(FormworkError(.malformedBody, message, offset: Int64(from))), 0)
                }
                isDropped = true
            }
            if isDropped {
                unescaper.truncate(to: start)
            } else {
                bounds.append(
                    Bounds(
                        start: UInt32(start), nameEnd: UInt32(nameEnd), end: UInt32(unescaper.count),
                        hasValue: hasValue, name: name, value: unescaper.text
                    ))
            }
        }
        return (.success(bounds), unescaper.count)
    }
}

extension URLEncodedLimits {
    /// The error for the limit that a pair exceeded.
    func exceeded(pairs: Int, length: Int, offset: Int) -> FormworkError {
        pairs > self.pairs
            ? ParsingFailure(.fieldsLimit, limit: Int64(self.pairs))
                .error("there are more than \(self.pairs, "pair") (limits.pairs)", at: Int64(offset))
            : ParsingFailure(.fieldBytesLimit, limit: Int64(self.pairBytes))
                .error("a pair has more than \(self.pairBytes, "byte") (limits.pairBytes)", at: Int64(offset))
    }
}
