import FormworkCore

/// How names become a tree of values again.
///
/// All but ``flat`` make arrays of members that are named `0`, `1`, … in that order, and put `a[]` behind the largest
/// number so far.
public enum NameExpansion: String, CaseIterable, Sendable {
    /// Not at all: an object with the names as they are, each as often as it stands in the text.
    case flat
    /// `a[b]` is a member, `a[]` the next element. A name that is repeated makes an array of its values; one that is both
    /// a text and a tree is an error; one whose brackets don't fit is taken as it is. So nothing is lost.
    case brackets
    /// As ``brackets``, where `a.b` is a member too.
    case dots
    /// PHP's `parse_str`: later values overwrite earlier ones; spaces, dots and an open bracket in the first name become
    /// underscores; what follows NUL or the last bracket is cut off; pairs without a name are left out.
    case php

    /// Makes a tree of pairs. All values are text, or `missing` where there is no `=`.
    /// - Throws: ``FormworkError/Code/limitExceeded`` for names that nest deeper than `limits` allows (PHP leaves them
    ///   out), and ``FormworkError/Code/malformedBody`` for a name that is both a text and a tree, except in ``php``.
    public func expand(
        _ pairs: some Sequence<URLEncodedPair>, missing: ParameterValue = .text(""),
        limits: URLEncodedLimits = URLEncodedLimits()
    ) throws(FormworkError) -> ParameterValue {
        let value = { (pair: URLEncodedPair) in pair.value.map(ParameterValue.text) ?? missing }
        guard self != .flat else { return .object(pairs.map { .init($0.name, value($0)) }) }
        // Trees are walked by calling, so even `.max` has a bound.
        let depth = min(max(0, limits.depth), 512)
        var tree = NameTree(overwrites: self == .php)
        for pair in pairs {
            guard let path = self.path(Array(pair.name.utf8), depth) else { continue }
            guard path.count <= depth + 1 else {
                throw FormworkError(
                    .limitExceeded,
                    "the name \"\(pair.name.prefix(40))…\" nests deeper than \(depth) levels (limits.depth)")
            }
            try tree.set(value(pair), at: path, named: pair.name)
        }
        return tree.value
    }

    /// The keys that a name asks for; `nil` for one that PHP leaves out. Not many more than `limit` are made.
    private func path(_ name: [UInt8], _ limit: Int) -> [NameTree.Key]? {
        switch self {
        case .php: Self.phpPath(name, limit)
        case .flat: [NameTree.Key(name)]
        case .brackets, .dots: self.strictPath(name, limit) ?? [NameTree.Key(name)]
        }
    }

    /// `nil` for a name whose brackets don't fit.
    private func strictPath(_ name: [UInt8], _ limit: Int) -> [NameTree.Key]? {
        let dot: UInt8 = self == .dots ? 0x2E : 0x5B
        var rest = name[...]
        let root = rest.prefix(before: 0x5B, or: dot)
        guard !root.isEmpty else { return nil }
        var path = [NameTree.Key(root)]
        rest = rest.dropFirst(root.count)
        while let mark = rest.popFirst(), path.count <= limit + 1 {
            let isBracket = mark == 0x5B
            let key = isBracket ? rest.prefix(before: 0x5D, or: 0x5D) : rest.prefix(before: 0x5B, or: dot)
            rest = rest.dropFirst(key.count)
            if isBracket {
                guard rest.popFirst() == 0x5D else { return nil }
            } else {
                guard mark == dot, !key.isEmpty else { return nil }
            }
            path.append(key.isEmpty ? .next : NameTree.Key(key))
        }
        return path
    }

    /// As PHP's `php_register_variable_ex` reads a name.
    private static func phpPath(_ name: [UInt8], _ limit: Int) -> [NameTree.Key]? {
        var rest = name[...].prefix(before: 0, or: 0).drop { $0 == 0x20 }
        var root = Array(rest.prefix(before: 0x5B, or: 0x5B))
        rest = rest.dropFirst(root.count)
        guard !root.isEmpty else { return nil }
        var path: [NameTree.Key] = []
        while rest.first == 0x5B {
            // A bracket counts before it is known to be closed.
            guard path.count < limit else {
                path.append(.next)
                break
            }
            let inside = rest.dropFirst()
            // One blank before the closing bracket counts as nothing.
            let blank = inside.first.map { $0 == 0x20 || (0x09...0x0D).contains($0) } ?? false
            if inside.dropFirst(blank ? 1 : 0).first == 0x5D {
                path.append(.next)
                rest = inside.dropFirst(blank ? 2 : 1)
            } else if let end = inside.dropFirst(blank ? 1 : 0).firstIndex(of: 0x5D) {
                path.append(NameTree.Key(inside[..<end]))
                rest = inside[(end + 1)...]
            } else {
                // A bracket that is never closed belongs to the name, or is cut off behind other brackets.
                if path.isEmpty { root += rest.map { $0 == 0x5B ? 0x5F : $0 } }
                break
            }
        }
        return [NameTree.Key(root.map { $0 == 0x20 || $0 == 0x2E ? 0x5F : $0 })] + path
    }
}

extension ArraySlice<UInt8> {
    /// What stands before the first of two bytes. Names may be long: `prefix(while:)` calls a closure for every byte, which
    /// builds without optimization take many times as long for.
    fileprivate func prefix(before first: UInt8, or second: UInt8) -> ArraySlice<UInt8> {
        var end = self.startIndex
        while end < self.endIndex, self[end] != first, self[end] != second { end += 1 }
        return self[..<end]
    }
}
