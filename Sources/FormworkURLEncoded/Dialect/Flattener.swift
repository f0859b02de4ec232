import FormworkCore

/// Walks a tree of values, depth first.
struct Flattener {
    let rules: Flattening

    func flatten(_ root: ParameterValue, into sink: inout PairSink) throws(FormworkError) {
        switch root {
        case .object(let members):
            try self.members(members, 1, of: "", into: &sink) { $0 }
        case .array(let elements), .set(let elements):
            switch self.rules.rootArray {
            case .refused: throw FormworkError(.invalidArgument, "parameters must be an object, not an array")
            case .named(let name): try self.value(root, name, 0, isElement: false, into: &sink)
            case .indexed:
                for (index, element) in elements.enumerated() {
                    try self.value(element, String(index), 1, isElement: true, into: &sink)
                }
            }
        case .null, .bool, .integer, .double, .text, .bytes:
            throw FormworkError(.invalidArgument, "parameters must be an object, not a single value")
        }
    }

    private func value(
        _ value: ParameterValue, _ name: String, _ depth: Int, isElement: Bool, into sink: inout PairSink
    ) throws(FormworkError) {
        switch value {
        case .array(let elements):
            guard try self.enter(elements.isEmpty, value, name, depth, isElement, into: &sink) else { return }
            try self.elements(elements, name, depth, into: &sink)
        case .set(let elements):
            guard try self.enter(elements.isEmpty, value, name, depth, isElement, into: &sink) else { return }
            guard case .repeatedInOrder = self.rules.sets else {
                return try self.elements(elements, name, depth, into: &sink)
            }
            for element in try self.sorted(elements, name) {
                try self.value(element, name, depth + 1, isElement: true, into: &sink)
            }
        case .object(let members):
            guard try self.enter(members.isEmpty, value, name, depth, isElement, into: &sink) else { return }
            try self.members(members, depth + 1, of: name, into: &sink) { name + self.rules.members.name($0) }
        case .null, .bool, .integer, .double, .text, .bytes:
            guard let leaf = try self.rules.leaf(value, name) else { return }
            try sink.append(name: name, value: leaf)
        }
    }

    /// Whether a container's elements are to be written.
    private func enter(
        _ isEmpty: Bool, _ value: ParameterValue, _ name: String, _ depth: Int, _ isElement: Bool,
        into sink: inout PairSink
    ) throws(FormworkError) -> Bool {
        if case .refused = self.rules.members { _ = try self.rules.leaf(value, name) }
        guard depth < self.rules.depth else {
            throw FormworkError(
                .limitExceeded,
                "\"\(name.shortened(to: 40))\" nests deeper than \(self.rules.depth, "level") (Flattening.depth)")
        }
        guard isEmpty else { return true }
        if case .object = value { return false }
        if isElement, self.rules.writesEmptyElements { try sink.append(name: "\(name)[]", value: .text("")) }
        return false
    }

    private func elements(
        _ elements: [ParameterValue], _ name: String, _ depth: Int, into sink: inout PairSink
    ) throws(FormworkError) {
        var starts: [PairSink.Position] = []
        for (index, element) in elements.enumerated() {
            let start = sink.end
            try self.value(element, self.rules.arrays.name(name, index), depth + 1, isElement: true, into: &sink)
            if sink.end.text > start.text { starts.append(start) }
        }
        if case .byTextWithArrays = self.rules.order { sink.sort(runs: starts) }
    }

    private func members(
        _ members: [ParameterValue.Member], _ depth: Int, of object: String, into sink: inout PairSink,
        name: (String) -> String
    ) throws(FormworkError) {
        var starts: [PairSink.Position] = []
        for member in try self.ordered(members) {
            if self.rules.skipsEmptyNames, member.name.isEmpty { continue }
            let start = sink.end
            try self.value(member.value, name(member.name), depth, isElement: false, into: &sink)
            if sink.end.text > start.text { starts.append(start) }
        }
        switch self.rules.order {
        case .given, .byName, .byNameIgnoringCase, .by: break
        case .byText, .byTextWithArrays: sink.sort(runs: starts)
        case .byTextOutsideArrays: if !object.utf8.contains("[]".utf8) { sink.sort(runs: starts) }
        }
    }

    private func ordered(_ members: [ParameterValue.Member]) throws(FormworkError) -> [ParameterValue.Member] {
        let members = try self.distinct(members)
        let isBefore: (ParameterValue.Member, ParameterValue.Member) -> Bool
        switch self.rules.order {
        case .given, .byText, .byTextWithArrays, .byTextOutsideArrays: return members
        case .byName: isBefore = { $0.name < $1.name }
        case .byNameIgnoringCase: isBefore = { $0.name.lowercased() < $1.name.lowercased() }
        case .by(let order): isBefore = { order($0.name, $1.name) }
        }
        return members.sortedStably(by: isBefore)
    }

    private func distinct(_ members: [ParameterValue.Member]) throws(FormworkError) -> [ParameterValue.Member] {
        // By bytes: the two spellings of `é` are different names.
        try members.distinct(self.rules.duplicates) {
            Array($0.name.utf8)
        } repeated: {
            FormworkError(.invalidArgument, "\"\($0.name)\" occurs more than once")
        }
    }

    /// A set's elements sorted by their text, with a closure's order for names if there is one; those without a text
    /// come first, in the given order.
    private func sorted(_ elements: [ParameterValue], _ name: String) throws(FormworkError) -> [ParameterValue] {
        var texts: [(text: String, element: ParameterValue)] = []
        for element in elements {
            switch element {
            case .array, .set, .object, .null: texts.append(("", element))
            default:
                if case .text(let text)? = try self.rules.leaf(element, name) {
                    texts.append((text, element))
                } else {
                    texts.append(("", element))
                }
            }
        }
        let isBefore: (String, String) -> Bool =
            if case .by(let order) = self.rules.order { order } else { { $0 < $1 } }
        return texts.sortedStably { isBefore($0.text, $1.text) }.map(\.element)
    }
}

extension Array {
    /// Swift's sort is stable in practice but doesn't guarantee it; equal elements have to keep their order.
    fileprivate func sortedStably(by isBefore: (Element, Element) -> Bool) -> [Element] {
        self.enumerated()
            .sorted { isBefore($0.element, $1.element) || !isBefore($1.element, $0.element) && $0.offset < $1.offset }
            .map(\.element)
    }

    /// The elements of which each one has its own key, in the places of the first ones.
    func distinct<Key: Hashable>(
        _ rule: Flattening.Duplicates, by key: (Element) -> Key, repeated: (Element) -> FormworkError
    ) throws(FormworkError) -> [Element] {
        guard rule != .all else { return self }
        var (places, distinct): ([Key: Int], [Element]) = ([:], [])
        for element in self {
            let key = key(element)
            guard let place = places[key] else {
                places[key] = distinct.count
                distinct.append(element)
                continue
            }
            switch rule {
            case .all, .first: break
            case .last: distinct[place] = element
            case .refuse: throw repeated(element)
            }
        }
        return distinct
    }
}
