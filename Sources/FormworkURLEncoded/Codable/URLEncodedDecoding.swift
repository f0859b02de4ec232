/// How url-encoded text becomes values of `Codable` types: the coding it was written with, and the limits.
package struct URLEncodedDecoding {
    package var coding = CodingPolicy()
    package var readsPlusAsSpace = true
    package var limits = URLEncodedLimits()
    package var acceptsNonFiniteNumbers = false
    package var foreign: any ForeignReading = NoForeignReading()

    package init() {}

    /// Decodes a value whose root is an object.
    /// - Throws: `DecodingError`, which names the option that lost information.
    package func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        let root: ValueDecoder
        do {
            root = try self.decoder(of: bytes)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "\(error.message)", underlyingError: error))
        }
        return try root.read(type)
    }

    func decoder(of bytes: [UInt8]) throws(FormworkError) -> ValueDecoder {
        let parsing = URLEncodedParsing(
            readsPlusAsSpace: self.readsPlusAsSpace, invalidText: .refused, limits: self.limits)
        let pairs = try URLEncodedPairs(bytes, rules: parsing)
        var texts: [String?] = []
        let expansion = self.coding.flattening.members.areDots ? NameExpansion.dots : .brackets
        let tree = try expansion.tree(pairs.lazy.map(\.pair), self.limits, marksUnclear: true) { pair in
            texts.append(pair.value ?? "")
            return texts.count - 1
        }
        let leaves = TextLeaves(texts, of: self.coding, lists: 1, self.foreign)
        leaves.acceptsNonFiniteNumbers = self.acceptsNonFiniteNumbers
        leaves.nullText = try? self.coding.null()
        leaves.changes = ChangedNames(self.coding, tree)
        return ValueDecoder(tree, leaves)
    }
}

extension DecodingError {
    /// The place of an error, and the reason; `nil` for one that says nothing of the text.
    static func place(_ error: any Error) -> (path: [any CodingKey], why: String)? {
        switch error {
        case DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context):
            // A sentence around the reason has its own end.
            (context.codingPath, String(context.debugDescription.reversed().drop { $0 == "." }.reversed()))
        case DecodingError.keyNotFound(let key, let context): (context.codingPath + [key], "the name isn't in the text")
        case let error as FormworkError: ([], error.message)
        default: nil
        }
    }
}

/// Types that need a special form in text, such as Foundation's.
package protocol ForeignReading {
    /// A value; `nil` if its type decodes itself.
    func value<Value: Decodable>(_ type: Value.Type, from source: URLEncodedSource) throws -> Value?
}

/// Only the standard library's types.
struct NoForeignReading: ForeignReading {
    init() {}
    func value<Value: Decodable>(_ type: Value.Type, from source: URLEncodedSource) -> Value? { nil }
}

/// The text that a foreign type is read from, and its errors.
package struct URLEncodedSource {
    let decoder: ValueDecoder

    /// The value's text.
    package func text() throws -> String { try self.decoder.text(String.self) }

    /// The value's text, which may be the only element of an array.
    package func textOrOnlyElement() throws -> String {
        if let text = try? self.text() { return text }
        let elements = try self.decoder.elements()
        return try elements.count == 1 ? self.decoder.element(elements[0], 0).text(String.self) : self.text()
    }

    /// The error for invalid text.
    package func unreadable(_ what: String) -> DecodingError { self.decoder.corrupted(what) }

    /// The error for a value that an option has lost.
    package func refusal(_ option: String, _ reason: String) -> DecodingError { self.decoder.refusal(option, reason) }
}
