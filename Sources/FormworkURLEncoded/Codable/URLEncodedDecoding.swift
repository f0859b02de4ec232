/// How url-encoded text becomes values of `Codable` types: the coding it was written with, and how much is taken.
package struct URLEncodedDecoding {
    package var coding = URLEncodedCoding()
    package var readsPlusAsSpace = true
    package var limits = URLEncodedLimits()
    package var acceptsNonFiniteNumbers = false
    package var foreign: any ForeignReading = NoForeignReading()

    package init() {}

    /// Decodes a value whose root is an object.
    /// - Throws: `DecodingError`, which names the option for what that option has lost.
    package func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        let tree: PairTree
        do {
            let rules = URLEncodedParsing(readsPlusAsSpace: self.readsPlusAsSpace, limits: self.limits)
            tree = try PairTree(try URLEncodedPairs(bytes, rules: rules), self.coding.members, depth: self.limits.depth)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "\(error.message)", underlyingError: error))
        }
        return try TreeDecoder(Reading(tree, self), node: 0).read(type)
    }
}

/// Types that don't say themselves how they are read from text, as Foundation's don't.
package protocol ForeignReading {
    /// A value; `nil` when its type says itself how it is read.
    func value<Value: Decodable>(_ type: Value.Type, from source: URLEncodedSource) throws -> Value?
}

/// The standard library's types alone.
package struct NoForeignReading: ForeignReading {
    package init() {}
    package func value<Value: Decodable>(_ type: Value.Type, from source: URLEncodedSource) -> Value? { nil }
}

/// The text that a foreign type is read from, and the errors for what can't be read.
package struct URLEncodedSource {
    let decoder: TreeDecoder

    /// The value's text.
    package func text() throws -> String { try self.decoder.text() }

    /// The value's text, which may be the one element of an array.
    package func textOrOnlyElement() throws -> String {
        if let text = try? self.decoder.text() { return text }
        let elements = try self.decoder.elements()
        return try elements.count == 1 ? self.decoder.element(elements[0], 0).text() : self.decoder.text()
    }

    /// The error for text that isn't what it should be.
    package func unreadable(_ what: String) -> DecodingError { self.decoder.corrupted(what) }

    /// The error for what an option can't give back.
    package func refusal(_ option: String, _ reason: String) -> DecodingError { self.decoder.refusal(option, reason) }
}
