/// A member's name; PHP's arrays tell whole numbers from other texts.
package enum NameKey: Hashable {
    case number(Int)
    /// As UTF-8: two spellings of `é` are two names.
    case text([UInt8])
    /// Behind the largest number so far.
    case next

    /// A name; a number only in the form that numbers are printed in.
    package init(_ bytes: some Collection<UInt8>) {
        let text = String(decoding: bytes.prefix(21), as: UTF8.self)
        if bytes.count <= 20, let number = Int(text), text == String(number) {
            self = .number(number)
        } else {
            self = .text(Array(bytes))
        }
    }
}

extension NameKey {
    /// The levels of a name: `a[b][]` is `a`, `b` and ``next``; with `dots`, `a.b` is `a` and `b`.
    /// - Parameter limit: Not many more levels than this are made.
    /// - Returns: `nil` for a name whose brackets don't fit.
    package static func path(_ name: [UInt8], dots: Bool, limit: Int) -> [NameKey]? {
        let isDot = { (byte: UInt8) in dots && byte == 0x2E }
        var rest = name[...]
        let root = rest.prefix { $0 != 0x5B && !isDot($0) }
        guard !root.isEmpty else { return nil }
        var path = [NameKey(root)]
        rest = rest.dropFirst(root.count)
        while let mark = rest.popFirst(), path.count <= limit + 1 {
            let isMember = isDot(mark)
            let key = rest.prefix { isMember ? $0 != 0x5B && !isDot($0) : $0 != 0x5D }
            rest = rest.dropFirst(key.count)
            if isMember {
                guard !key.isEmpty else { return nil }
            } else {
                guard mark == 0x5B, rest.popFirst() == 0x5D else { return nil }
            }
            path.append(key.isEmpty ? .next : NameKey(key))
        }
        return path
    }

    /// The level as text.
    var text: String {
        switch self {
        case .number(let number): String(number)
        case .text(let text): String(decoding: text, as: UTF8.self)
        case .next: ""
        }
    }
}
