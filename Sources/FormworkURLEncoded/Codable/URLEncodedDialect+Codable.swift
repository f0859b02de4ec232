import FormworkCore

extension URLEncodedDialect {
    /// Writes the members of a value. What is `nil` or empty is left out.
    ///
    /// ```swift
    /// let text = try URLEncodedDialect.php.encode(Search(words: "fog", pages: [1, 2]))
    /// // words=fog&pages%5B0%5D=1&pages%5B1%5D=2
    /// ```
    ///
    /// `decode(_:from:)` of the dialect reads an equal value. The exceptions are types that try several kinds of values until
    /// one fits: the text has no kinds, so such a type may read 1 as `"1"`. A `Date` is ISO 8601, and a type that is
    /// `FormTextConvertible`, such as `Decimal` and `URL`, is its text; `Data` encodes itself.
    /// - Throws: `EncodingError` with the coding path for a value that this dialect would read back differently, such as an array
    ///   of objects whose ends aren't known, and for one that isn't an object; ``FormworkError/Code/contentNotEncodable`` for
    ///   text that ``transcoding`` can't represent; errors of the value's type.
    @_disfavoredOverload
    public func encode(_ value: some Encodable) throws -> String {
        do { return String(decoding: try self.coding.encode(value), as: UTF8.self) } catch let root as InvalidRoot {
            throw self.coding.refusal(
                value, [], "There are no names for \(root.rawValue): use a struct or a dictionary")
        }
    }

    private var coding: CodingPolicy {
        let expansion = self.expansion
        return CodingPolicy(
            self, readsOwnNames: false, dates: .iso8601, readsEmptyAsNil: true, lists: self.parsing.limits.depth,
            wording: { words in
                words.loss = "This dialect would read it back as another value: "
                words.arrayOption = "Flattening.arrays"
                words.nameOption = "URLEncodedDialect.expansion"
                words.splittingOption = "a separator of Flattening.members"
                words.indexedOption =
                    switch expansion {
                    // Rack takes an index for a name.
                    case .rack: "the same members in each object, or another dialect"
                    case .flat: "repeated for single values, or another dialect"
                    case .brackets, .dots, .php: "indexed"
                    }
            })
    }

    /// Reads a value from text of this dialect.
    ///
    /// Names become a tree as ``expansion`` says; a repeated name is an array, and a single value also an array of one. A
    /// missing name is an empty array, an object whose members are all missing, or `nil`. An empty text is `nil` for optionals of
    /// other types than `String`. Members with numbers of any order are an array for a type that wants one.
    /// - Throws: `DecodingError` with the coding path, and what ``decode(_:)-(String)`` throws.
    public func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try self.decode(type, from: Array(text.utf8))
    }

    /// Reads a value from bytes as received.
    /// - Throws: What ``decode(_:from:)-(_,String)`` throws.
    public func decode<Value: Decodable>(_ type: Value.Type, from text: some Sequence<UInt8>) throws -> Value {
        try self.coding.decoder(of: Array(text), self.parsing.limits).read(type)
    }
}
