import FormworkCore

extension Flattening.ArrayNames {
    /// The name of an element.
    package func name(_ array: String, _ index: Int) -> String {
        switch self {
        case .brackets: "\(array)[]"
        case .repeated: array
        case .indexed: "\(array)[\(index)]"
        case .custom(let name): name(array, index)
        }
    }
}

extension Flattening.MemberNames {
    /// What a member's name adds to its object's.
    func name(_ member: String) -> String {
        switch self {
        case .brackets, .refused: "[\(member)]"
        case .dots: ".\(member)"
        case .custom(let name): name(member)
        }
    }

    var areDots: Bool { if case .dots = self { true } else { false } }
}

extension Flattening {
    /// A single value before it is escaped.
    package enum Leaf {
        /// No `=` is written.
        case nothing
        case text(String)
        case bytes([UInt8])
    }

    /// The text for a value; `nil` for one that is dropped.
    func leaf(_ value: ParameterValue, _ name: String) throws(FormworkError) -> Leaf? {
        switch value {
        case .null:
            switch self.nulls {
            case .nameOnly: return .nothing
            case .text(let text): return .text(text)
            case .dropped: return nil
            }
        case .bool(let flag):
            switch self.bools {
            case .numeric: return .text(flag ? "1" : "0")
            case .literal: return .text(flag ? "true" : "false")
            }
        case .integer(let number): return .text(String(number))
        case .double(let number): return .text(self.doubles.text(number))
        case .text(let text): return .text(text)
        case .bytes(let bytes): return self.countsBytes ? .text("\(bytes.count) bytes") : .bytes(bytes)
        case .array, .set, .object:
            throw FormworkError(
                .invalidArgument, "\"\(name)\" is an array or an object, which this dialect can't write")
        }
    }
}
