import FormworkCore

/// Builds parameters like Rack 2.2's `QueryParser#normalize_params`, with the same steps in the same order, so that
/// names with unbalanced brackets are also read like in Rack.
struct RackTree {
    private enum Node {
        case value(ParameterValue)
        case array([Int])
        case object(Members)
    }

    /// An object's members, with an index by name if there are many.
    private struct Members {
        var names: [[UInt8]] = []
        var nodes: [Int] = []
        var places: [[UInt8]: Int] = [:]

        func node(_ name: [UInt8]) -> Int? {
            let place = self.places.isEmpty ? self.names.firstIndex(of: name) : self.places[name]
            return place.map { self.nodes[$0] }
        }

        mutating func set(_ name: [UInt8], _ node: Int) {
            if let place = self.places.isEmpty ? self.names.firstIndex(of: name) : self.places[name] {
                return self.nodes[place] = node
            }
            if self.names.count == 16 {
                for (place, name) in self.names.enumerated() { self.places[name] = place }
            }
            if self.names.count >= 16 { self.places[name] = self.names.count }
            self.names.append(name)
            self.nodes.append(node)
        }
    }

    /// The first is the root.
    private var nodes: [Node] = [.object(Members())]
    private let depth: Int
    private var levels: URLEncodedLimits.LevelCount
    /// Whether the name being read has more than one line.
    private var hasLines = false

    /// - Parameters:
    ///   - depth: How many levels a name may have.
    ///   - levels: How many levels all names may have together.
    init(depth: Int, levels: URLEncodedLimits.LevelCount) { (self.depth, self.levels) = (depth, levels) }

    /// The finished tree.
    var value: ParameterValue { self.value(0) }

    /// Sets a value at the place of its name.
    /// - Throws: ``FormworkError/Code/malformedBody`` for a `ParameterTypeError` of Rack,
    ///   ``FormworkError/Code/limitExceeded`` for a name that nests too deep.
    mutating func set(_ value: ParameterValue, named name: String) throws(FormworkError) {
        let bytes = Array(name.utf8)
        self.hasLines = bytes.contains(0x0A)
        _ = try self.set(value, bytes[...], in: 0, 0, whole: name)
    }

    /// - Returns: The node for the place of a new object: the object, or the value for a name that is only brackets.
    private mutating func set(
        _ value: ParameterValue, _ name: ArraySlice<UInt8>, in object: Int, _ level: Int, whole: String
    ) throws(FormworkError) -> Int {
        if level > 0 { try self.levels.add(1) }
        guard level <= self.depth else {
            throw FormworkError(
                .limitExceeded,
                "the name \"\(whole.shortened(to: 40))\" nests deeper than \(self.depth, "level") (limits.depth)")
        }
        let inside = name.drop(while: \.isBracket)
        let key = Array(inside.prefix(before: 0x5B, or: 0x5D))
        guard !key.isEmpty else {
            guard value != .null, name.elementsEqual("[]".utf8) else { return self.append(.value(.null)) }
            return self.append(.array([self.append(.value(value))]))
        }
        let rest = inside.dropFirst(key.count).drop { $0 == 0x5D }
        if rest.isEmpty {
            self.setMember(key, self.append(.value(value)), of: object)
        } else if rest.elementsEqual("[".utf8) {
            self.setMember(Array(name), self.append(.value(value)), of: object)
        } else if rest.elementsEqual("[]".utf8) {
            self.push(self.append(.value(value)), to: try self.array(key, of: object, whole))
        } else if let child = self.elementKey(rest) {
            let array = try self.array(key, of: object, whole)
            if let last = self.lastObject(of: array), !self.has(child, in: last) {
                _ = try self.set(value, child, in: last, level + 1, whole: whole)
            } else {
                let element = self.append(.object(Members()))
                self.push(try self.set(value, child, in: element, level + 1, whole: whole), to: array)
            }
        } else {
            let member = try self.object(key, of: object, whole)
            self.setMember(key, try self.set(value, rest, in: member, level + 1, whole: whole), of: object)
        }
        return object
    }

    private mutating func append(_ node: Node) -> Int {
        self.nodes.append(node)
        return self.nodes.count - 1
    }

    /// Nodes are taken out, changed and put back, as they would be copied otherwise.
    private mutating func setMember(_ name: [UInt8], _ node: Int, of object: Int) {
        guard case .object(var members) = self.nodes[object] else { return }
        self.nodes[object] = .value(.null)
        members.set(name, node)
        self.nodes[object] = .object(members)
    }

    private mutating func push(_ node: Int, to array: Int) {
        guard case .array(var elements) = self.nodes[array] else { return }
        self.nodes[array] = .value(.null)
        elements.append(node)
        self.nodes[array] = .array(elements)
    }

    private func member(_ name: [UInt8], of object: Int) -> Int? {
        guard case .object(let members) = self.nodes[object], let node = members.node(name) else { return nil }
        // Rack replaces a member without a value with a new tree.
        if case .value(.null) = self.nodes[node] { return nil }
        return node
    }

    /// The array with that name, created if there is none.
    private mutating func array(_ name: [UInt8], of object: Int, _ whole: String) throws(FormworkError) -> Int {
        guard let node = self.member(name, of: object) else {
            let node = self.append(.array([]))
            self.setMember(name, node, of: object)
            return node
        }
        guard case .array = self.nodes[node] else { throw self.conflict(name, whole, "an array") }
        return node
    }

    /// The object with that name, created if there is none.
    private mutating func object(_ name: [UInt8], of object: Int, _ whole: String) throws(FormworkError) -> Int {
        guard let node = self.member(name, of: object) else {
            let node = self.append(.object(Members()))
            self.setMember(name, node, of: object)
            return node
        }
        guard case .object = self.nodes[node] else { throw self.conflict(name, whole, "an object") }
        return node
    }

    private func conflict(_ name: [UInt8], _ whole: String, _ wanted: String) -> FormworkError {
        let name = String(decoding: name, as: UTF8.self)
        return FormworkError(.malformedBody, "\"\(whole)\" needs \"\(name)\" to be \(wanted), but it is not")
    }

    private func lastObject(of array: Int) -> Int? {
        guard case .array(let elements) = self.nodes[array], let last = elements.last,
            case .object = self.nodes[last]
        else { return nil }
        return last
    }

    /// Whether an element already has a value for the key; always false for keys with arrays.
    private func has(_ key: ArraySlice<UInt8>, in element: Int) -> Bool {
        if key.indices.dropLast().contains(where: { key[$0] == 0x5B && key[$0 + 1] == 0x5D }) { return false }
        var node = element
        for part in key.split(whereSeparator: \.isBracket) {
            guard case .object(let members) = self.nodes[node], let next = members.node(Array(part)) else {
                return false
            }
            node = next
        }
        return true
    }

    /// The text after `[]`: `b` for `[][b]`, otherwise all of it; `nil` if no line begins with `[]` and more text.
    /// Lines matter, because Ruby's `^` and `$` match at lines.
    private func elementKey(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let lines = self.hasLines ? name.indices.filter { $0 > name.startIndex && name[$0 - 1] == 0x0A } : []
        let starts = [name.startIndex] + lines
        for start in starts where name[start...].starts(with: "[][".utf8) {
            let key = name[(start + 3)...].prefix(before: 0x5B, or: 0x5D)
            let rest = name[key.endIndex...]
            if !key.isEmpty, rest.first == 0x5D, rest.count == 1 || rest.dropFirst().first == 0x0A { return key }
        }
        for start in starts where name[start...].starts(with: "[]".utf8) {
            let key = name[(start + 2)...].prefix(before: 0x0A, or: 0x0A)
            if !key.isEmpty { return key }
        }
        return nil
    }

    private func value(_ node: Int) -> ParameterValue {
        switch self.nodes[node] {
        case .value(let value): value
        case .array(let elements): .array(elements.map(self.value))
        case .object(let members):
            .object(
                zip(members.names, members.nodes).map { name, node in
                    .init(String(decoding: name, as: UTF8.self), self.value(node))
                })
        }
    }
}

extension UInt8 {
    fileprivate var isBracket: Bool { self == 0x5B || self == 0x5D }
}
