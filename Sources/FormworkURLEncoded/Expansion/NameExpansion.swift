import FormworkCore

/// How names become a tree of values.
///
/// ``brackets``, ``dots`` and ``php`` make arrays of members named `0`, `1`, … in that order, and put `a[]` after the
/// largest number so far.
public enum NameExpansion: String, CaseIterable, Sendable {
    /// Not at all: an object with the unchanged names, each as often as it occurs in the text.
    case flat
    /// `a[b]` is a member, `a[]` the next element. `a[][b]` is a member of the element that the last such name made, or
    /// of a new one if that already has a `b`. A repeated name makes an array of its values; a name that is both a text
    /// and a tree is an error; a name with unbalanced brackets is used unchanged. So nothing is lost.
    case brackets
    /// Like ``brackets``, but `a.b` is a member too.
    case dots
    /// PHP's `parse_str`: later values overwrite earlier ones; spaces, dots and an open bracket in the first name
    /// become underscores; text after NUL or the last bracket is cut off; pairs without a name are left out.
    case php
    /// Rack 2.2's `parse_nested_query`, which Rails uses: `a[]` and `a[][b]` as in ``brackets``, but numbers are names
    /// (`a[0]` makes an object), the last of several values wins, and brackets at the beginning and pairs without a
    /// name are dropped.
    case rack

    /// Makes a tree of pairs. All values are text, or `missing` if there is no `=`.
    /// - Throws: ``FormworkError/Code/limitExceeded`` for names that nest deeper than `limits` allows (PHP leaves them
    ///   out), and ``FormworkError/Code/malformedBody`` for a name that is both a text and a tree, except in ``php``;
    ///   in ``rack`` also for a name that is both an array and an object.
    public func expand(
        _ pairs: some Sequence<URLEncodedPair>, missing: ParameterValue = .text(""),
        limits: URLEncodedLimits = URLEncodedLimits()
    ) throws(FormworkError) -> ParameterValue {
        let pairs = Array(pairs)
        return try self.expand(
            pairs.lazy.map { Array($0.name.utf8) }, pairs.map { $0.value.map(ParameterValue.text) ?? missing }, limits)
    }

    /// Makes a tree of names and their values. Names are compared by their bytes, which may not be UTF-8.
    func expand(
        _ names: some Collection<[UInt8]>, _ values: [ParameterValue], _ limits: URLEncodedLimits
    ) throws(FormworkError) -> ParameterValue {
        if self == .flat {
            return .object(zip(names, values).map { .init(String(decoding: $0, as: UTF8.self), $1) })
        }
        return ParameterValue(try self.tree(names, limits) { values[$0] == .null }, values)
    }

    /// Makes a tree of names. Its leaves are their numbers, or their count for null in ``rack``.
    /// - Parameters:
    ///   - marksUnclear: See ``NameTree``.
    ///   - isNull: Whether the value of a name is null.
    func tree(
        _ names: some Collection<[UInt8]>, _ limits: URLEncodedLimits, marksUnclear: Bool = false,
        isNull: (Int) -> Bool
    ) throws(FormworkError) -> NameTree.Value {
        let depth = limits.nesting
        var levels = 0
        let tree = NameTree(overwrites: self == .php, groups: self != .php, marksUnclear: marksUnclear)
        var rack = RackNames(tree, null: names.count, limits)
        for (leaf, name) in names.enumerated() {
            if self == .rack {
                try rack.set(isNull(leaf) ? names.count : leaf, named: name)
                levels = rack.levels
            } else if let path = self.path(name, depth) {
                guard path.count <= depth + 1 else { throw limits.tooDeep(name) }
                levels += path.count - 1
                try tree.set(leaf, at: path, named: String(decoding: name, as: UTF8.self))
            }
            guard levels <= limits.levels else { throw limits.tooManyLevels }
        }
        return tree.value
    }

    /// The keys of a name; `nil` for one that PHP leaves out. Not many more than `limit` are made.
    private func path(_ name: [UInt8], _ limit: Int) -> [NameKey]? {
        switch self {
        case .php: Self.phpPath(name, limit)
        case .flat, .rack: [.text(name)]
        case .brackets, .dots: NameKey.path(name, dots: self == .dots, limit: limit) ?? [NameKey(name)]
        }
    }

    /// Reads a name like PHP's `php_register_variable_ex`.
    private static func phpPath(_ name: [UInt8], _ limit: Int) -> [NameKey]? {
        var rest = name[...].prefix(before: 0, or: 0).drop { $0 == 0x20 }
        var root = Array(rest.prefix(before: 0x5B, or: 0x5B))
        rest = rest.dropFirst(root.count)
        guard !root.isEmpty else { return nil }
        var path: [NameKey] = []
        while rest.first == 0x5B {
            // A bracket counts before it is known to be closed.
            guard path.count < limit else {
                path.append(.next)
                break
            }
            let inside = rest.dropFirst()
            // One blank before the closing bracket is ignored.
            let blank = inside.first.map { $0 == 0x20 || (0x09...0x0D).contains($0) } ?? false
            if inside.dropFirst(blank ? 1 : 0).first == 0x5D {
                path.append(.next)
                rest = inside.dropFirst(blank ? 2 : 1)
            } else if let end = inside.dropFirst(blank ? 1 : 0).firstIndex(of: 0x5D) {
                path.append(NameKey(inside[..<end]))
                rest = inside[(end + 1)...]
            } else {
                // A bracket that is never closed is part of the name, or is cut off after other brackets.
                if path.isEmpty { root += rest.map { $0 == 0x5B ? 0x5F : $0 } }
                break
            }
        }
        return [NameKey(root.map { $0 == 0x20 || $0 == 0x2E ? 0x5F : $0 })] + path
    }
}

extension ParameterValue {
    /// The tree with the values of its leaves; other numbers are null.
    fileprivate init(_ tree: NameTree.Value, _ values: [ParameterValue]) {
        switch tree {
        case .leaf(let leaf): self = leaf < values.count ? values[leaf] : .null
        case .array(let elements), .unclear(let elements): self = .array(elements.map { Self($0, values) })
        case .object(let members): self = .object(members.map { .init($0.name, Self($0.value, values)) })
        }
    }
}
