/// A member's name. Whole numbers and other texts are different keys, as in PHP's arrays.
package enum NameKey: Hashable {
    case number(Int)
    /// UTF-8 bytes, so two spellings of `é` are two names.
    case text([UInt8])
    /// The number after the largest one so far.
    case next

    /// A name. It is a number only if it is written as numbers are printed.
    package init(_ bytes: some Collection<UInt8>) {
        if bytes.count <= 20, let first = bytes.first, Self.beginsNumber(first) {
            let text = String(decoding: bytes, as: UTF8.self)
            if let number = Int(text), text == String(number) {
                self = .number(number)
                return
            }
        }
        self = .text(Array(bytes))
    }
}

extension NameKey {
    /// Whether a name with this first byte may be a number.
    static func beginsNumber(_ byte: UInt8) -> Bool { byte == 0x2D || (0x30...0x39).contains(byte) }

    /// Whether a name has one level, and isn't a number: its path is the name itself.
    package static func isPlain(_ name: String, dots: Bool) -> Bool {
        guard let first = name.utf8.first, !self.beginsNumber(first) else { return false }
        return !name.contains(byte: 0x5B, or: dots ? 0x2E : 0x5B)
    }

    /// The levels of a name: `a[b][]` is `a`, `b` and ``next``; with `dots`, `a.b` is `a` and `b`.
    /// - Parameter limit: Parsing stops soon after this many levels.
    /// - Returns: `nil` for a name with unbalanced brackets.
    package static func path(_ name: [UInt8], dots: Bool, limit: Int) -> [NameKey]? {
        let dot: UInt8 = dots ? 0x2E : 0x5B
        var rest = name[...]
        let root = rest.prefix(before: 0x5B, or: dot)
        guard !root.isEmpty else { return nil }
        var path = [NameKey(root)]
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
            path.append(key.isEmpty ? .next : NameKey(key))
        }
        return path
    }

    /// The level as text.
    package var text: String {
        switch self {
        case .number(let number): String(number)
        case .text(let text): String(decoding: text, as: UTF8.self)
        case .next: ""
        }
    }
}

extension ArraySlice<UInt8> {
    /// The bytes before the first of two bytes. Names may be long, and `prefix(while:)` calls a closure for every byte,
    /// which is many times slower in unoptimized builds.
    package func prefix(before first: UInt8, or second: UInt8) -> ArraySlice<UInt8> {
        var end = self.startIndex
        while end < self.endIndex, self[end] != first, self[end] != second { end += 1 }
        return self[..<end]
    }
}
