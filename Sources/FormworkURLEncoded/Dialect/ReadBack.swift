import FormworkCore

/// Compares parameters with the values that are read back from their text.
struct ReadBack {
    private let dialect: URLEncodedDialect

    init(dialect: URLEncodedDialect) {
        var dialect = dialect
        // The text is the caller's own, so it needs no limits; the depth is the reader's rule.
        dialect.parsing.limits = URLEncodedLimits(
            bytes: .max, pairs: .max, pairBytes: .max, depth: dialect.parsing.limits.depth)
        self.dialect = dialect
    }

    /// - Throws: ``FormworkError/Code/invalidArgument`` with the first place that is read as another value.
    func check(_ parameters: ParameterValue, as text: [UInt8]) throws(FormworkError) {
        let found: ParameterValue
        do throws(FormworkError) {
            found = try self.dialect.decode(text)
        } catch {
            throw FormworkError(.invalidArgument, "the written text can't be read back: \(error.message)")
        }
        switch (parameters, self.dialect.flattening.rootArray) {
        case (.array(let elements), .indexed) where elements.isEmpty,
            (.set(let elements), .indexed) where elements.isEmpty:
            break
        case (.array, .named(let name)), (.set, .named(let name)):
            try self.compare(.object([.init(name, parameters)]), found, "")
        default: try self.compare(parameters, found, "")
        }
    }

    private func compare(
        _ value: ParameterValue, _ found: ParameterValue, _ path: String
    ) throws(FormworkError) {
        switch (value, found) {
        case (.array(let elements), .array(let others)) where elements.count == others.count:
            for (index, element) in elements.enumerated() {
                try self.compare(element, others[index], "\(path)[\(index)]")
            }
        case (.set(let elements), .array(var others)) where elements.count == others.count:
            // In any order.
            for element in elements {
                let place = others.firstIndex { other in (try? self.compare(element, other, path)) != nil }
                guard let place else { throw self.difference(value, found, path) }
                others.remove(at: place)
            }
        case (.object(let members), .object(let others)): try self.compare(members, others, path)
        case (.array, _), (.set, _), (.object, _): throw self.difference(value, found, path)
        default:
            let isSame =
                switch try self.dialect.flattening.leaf(value, path) {
                case nil: false
                case .nothing?: found == .null
                case .text(let text)?: found.isText(text.utf8)
                case .bytes(let bytes)?: found.isText(bytes)
                }
            guard isSame else { throw self.difference(value, found, path) }
        }
    }

    private func compare(
        _ members: [ParameterValue.Member], _ others: [ParameterValue.Member], _ path: String
    ) throws(FormworkError) {
        // By bytes: the two spellings of `é` are different names.
        let wanted = Dictionary(grouping: members) { Array($0.name.utf8) }
        let found = Dictionary(grouping: others) { Array($0.name.utf8) }
        // In the given order, so that the error names the first difference.
        for member in members {
            let key = Array(member.name.utf8)
            guard let values = wanted[key] else { continue }
            let name = path.isEmpty ? member.name : "\(path)[\(member.name)]"
            guard let same = found[key] else { throw self.lost(values[0].value, name) }
            guard same.count == values.count else {
                throw FormworkError(
                    .invalidArgument,
                    "\"\(name)\" occurs \(values.count, "time") and would be read back \(same.count, "time"): "
                        + "give each member its own name")
            }
            for (value, other) in zip(values, same) { try self.compare(value.value, other.value, name) }
        }
        for other in others where wanted[Array(other.name.utf8)] == nil {
            let name = path.isEmpty ? other.name : "\(path)[\(other.name)]"
            throw FormworkError(.invalidArgument, "\"\(name)\" would be read back, but it is not among the parameters")
        }
    }

    /// The error for a value that isn't read back at all; for one without any text it names the empty part.
    private func lost(_ value: ParameterValue, _ path: String) -> FormworkError {
        switch value {
        case .object(let members) where value.comesToNothing && !members.isEmpty:
            self.lost(members[0].value, "\(path)[\(members[0].name)]")
        case .array(let elements) where value.comesToNothing && !elements.isEmpty: self.lost(elements[0], "\(path)[0]")
        default: self.difference(value, nil, path)
        }
    }

    /// What to write instead of an array that contains others, whose elements run together.
    private static let namedElements = "write an array that contains arrays as an object with the names 0, 1, …"

    private func difference(_ value: ParameterValue, _ found: ParameterValue?, _ path: String) -> FormworkError {
        let what: String
        switch (value, found) {
        case (.array(let elements), _) where elements.isEmpty, (.set(let elements), _) where elements.isEmpty:
            what = "is an array without elements, which can't be written: leave it out"
        case (.object(let members), _) where members.isEmpty:
            what = "is an object without members, which can't be written: leave it out"
        case (.null, nil): what = "is null, which isn't written: leave it out"
        case (.bytes, _): what = "is bytes that are not UTF-8 text: write them as base64"
        case (_, nil) where path.isEmpty: what = "would not be read back: give it a name that isn't empty"
        case (_, nil): what = "would not be read back: rename it, brackets in names make a tree"
        case (.array(let elements), .array(let others)?), (.set(let elements), .array(let others)?):
            let remedy =
                elements.contains(where: \.holdsArray)
                ? Self.namedElements : "give its objects the same members in the same order"
            what = "would be read back as \(others.count, "element"), not \(elements.count): \(remedy)"
        // Only an array inside an array.
        case (.array, _), (.set, _): what = "would not be read back as an array: \(Self.namedElements)"
        case (.object(let members), .array?) where members.contains { $0.name.isEmpty }:
            what = "would be read back as an array: give each member a name that isn't empty"
        case (_, .text?): what = "would be read back as another text"
        case (_, .array?): what = "would be read back as an array"
        case (_, .object?): what = "would be read back as an object"
        default: what = "would be read back as null"
        }
        return FormworkError(.invalidArgument, "\"\(path)\" \(what)")
    }
}

extension ParameterValue {
    /// Whether it is an array or contains one.
    fileprivate var holdsArray: Bool {
        switch self {
        case .array, .set: true
        case .object(let members): members.contains { $0.value.holdsArray }
        case .null, .bool, .integer, .double, .text, .bytes: false
        }
    }

    /// Whether it contains no value.
    fileprivate var comesToNothing: Bool {
        switch self {
        case .array(let elements), .set(let elements): elements.allSatisfy(\.comesToNothing)
        case .object(let members): members.allSatisfy(\.value.comesToNothing)
        case .null, .bool, .integer, .double, .text, .bytes: false
        }
    }

    fileprivate func isText(_ bytes: some Sequence<UInt8>) -> Bool {
        if case .text(let text) = self { text.utf8.elementsEqual(bytes) } else { false }
    }
}
