import FormworkCore

/// An optional is read through its own type, because the wrapped type decides what else the same text could mean.
private protocol OptionalValue {
    static func read(_ decoder: TreeDecoder) throws -> Self
}

extension Optional: OptionalValue where Wrapped: Decodable {
    fileprivate static func read(_ decoder: TreeDecoder) throws -> Self { try decoder.readOptional(Wrapped.self) }
}

extension TreeDecoder {
    /// The single text that was sent.
    func text() throws -> String {
        guard let content else { throw self.notSent }
        if self.value >= 0 { return content.values[self.value] }
        guard content.children.isEmpty, content.values.count < 2 else {
            throw self.mismatch(
                String.self, "a single value", content.values.isEmpty ? "an array or object" : "more than one")
        }
        guard let text = content.values.first else { throw self.mismatch(String.self, "a single value", "nothing") }
        return text
    }

    /// The error of a place for which nothing was sent.
    var notSent: DecodingError {
        guard let path else { return self.corrupted("no value was sent") }
        let context = DecodingError.Context(
            codingPath: DecodingPath.keys(path.parent), debugDescription: "the text has no such name")
        return .keyNotFound(path.key, context)
    }

    /// Whether the text is the one for `nil`.
    var isNull: Bool {
        guard let content else { return true }
        guard let null = self.reading.nullText else { return false }
        if self.value >= 0 { return content.values[self.value] == null }
        return content.children.isEmpty && content.values == [null]
    }

    func readOptional<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        guard self.node >= 0 else { return self.hasNamedElements ? try self.read(type) : nil }
        return self.isNull ? nil : try self.read(type)
    }

    func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if Value.self == String.self, let value = try self.text() as? Value { return value }
        if Value.self == Bool.self, let value = try self.bool() as? Value { return value }
        if Value.self == Double.self, let value = try self.fraction(Double.self) as? Value { return value }
        if Value.self == Float.self, let value = try self.fraction(Float.self) as? Value { return value }
        if let integer = Value.self as? any FixedWidthInteger.Type, let value = try self.integer(integer) as? Value {
            return value
        }
        if let optional = Value.self as? any OptionalValue.Type, let value = try optional.read(self) as? Value {
            return value
        }
        if let value = try self.reading.rules.foreign.value(type, from: URLEncodedSource(decoder: self)) {
            return value
        }
        return try Value(from: self)
    }

    private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
        try self.number(type, Integer.init(_:))
    }

    private func fraction<Number: BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: Number.Type
    ) throws -> Number {
        try self.number(type) {
            Number(decimal: $0, acceptsNonFinite: self.reading.rules.acceptsNonFiniteNumbers)
        }
    }

    private func number<Number>(_ type: Number.Type, _ make: (String) -> Number?) throws -> Number {
        let text = try self.text()
        guard let number = make(text) else {
            throw self.corrupted("\"\(text.shortened(to: 40))\" is not a valid \(type)")
        }
        return number
    }

    private func bool() throws -> Bool {
        let text = try self.text()
        guard let value = Bool(formText: text) else {
            throw self.corrupted("\"\(text.shortened(to: 40))\" is not a valid Bool: use true or false")
        }
        return value
    }
}

extension Bool {
    /// The value of a checkbox or of a word, in upper or lower case; `nil` for other texts.
    package init?(formText: String) {
        switch formText {
        case "true", "1", "on", "yes": self = true
        case "false", "0", "off", "no": self = false
        default:
            switch formText.lowercased() {
            case "true", "on", "yes": self = true
            case "false", "off", "no": self = false
            default: return nil
            }
        }
    }
}
