import Formwork

/// Finds the boundary of a body without its header, in the first line that looks like a delimiter.
struct BoundarySniffer {
    enum Guess: Equatable {
        case found(String)
        /// More bytes could decide.
        case undecided
        case none
    }

    /// - Parameter isWhole: Whether `bytes` is the whole body.
    static func sniff(_ bytes: [UInt8], isWhole: Bool) -> Guess {
        var rest = bytes[...]
        while let lf = rest.firstIndex(of: 0x0A) {
            let isFirst = rest.startIndex == 0
            let line = Self.trimmed(rest[..<lf])
            rest = rest[(lf + 1)...]
            guard let text = Self.boundary(line) else { continue }
            // In a preamble, `--` may begin a line of prose. A header on the next line makes it a delimiter.
            let next = rest.firstIndex(of: 0x0A).map { Self.trimmed(rest[..<$0]) }
            guard let next else {
                // A long line of a header may follow. But what ends with `--` may be a close delimiter, if nothing follows.
                if !isWhole { return isFirst && !rest.isEmpty && !text.hasSuffix("--") ? .found(text) : .undecided }
                // A form without parts is only its close delimiter.
                if isFirst { return .found(text.hasSuffix("--") && text.count > 2 ? String(text.dropLast(2)) : text) }
                continue
            }
            if next.isEmpty || Self.isHeader(next) || isFirst { return .found(text) }
        }
        // A form without parts may end without a line end.
        if isWhole, rest.startIndex == 0, let text = Self.boundary(Self.trimmed(rest)), text.hasSuffix("--"),
            text.count > 2
        {
            return .found(String(text.dropLast(2)))
        }
        return isWhole ? .none : .undecided
    }

    private static func boundary(_ line: ArraySlice<UInt8>) -> String? {
        guard line.count > 2, line.starts(with: [0x2D, 0x2D]), line.count <= 1026,
            line.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        return String(decoding: line.dropFirst(2), as: UTF8.self)
    }

    private static func isHeader(_ line: ArraySlice<UInt8>) -> Bool {
        let name = line.prefix { $0.isTokenByte }
        return !name.isEmpty && name.endIndex < line.endIndex && line[name.endIndex] == 0x3A
    }

    /// The line without padding and CRs.
    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line
        while let last = line.last, last.isBlank || last == 0x0D { line.removeLast() }
        return line
    }
}

extension BodyPlan {
    /// Warns if a multipart body that isn't made here begins with another boundary than its `Content-Type` names.
    package func warnOfOtherBoundary() {
        guard self.isReplayable, self.contentType.lowercased().hasPrefix("multipart/"),
            let start = try? self.makeReader().read(upTo: 64 << 10),
            case .found(let boundary) = BoundarySniffer.sniff(start, isWhole: start.count < 64 << 10)
        else { return }
        let named = Boundary(of: self.contentType)
        guard named?.text != boundary else { return }
        let names = named.map { "the boundary \($0.text)" } ?? "no boundary"
        Messages.warn("-H 'Content-Type: …' names \(names), but the body has \(boundary): receivers find no parts")
    }
}
