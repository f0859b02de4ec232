import Formwork

extension MultipartParser {
    /// What other receivers may read differently in a body that could be read: a warning for each kind.
    var warnings: [String] {
        var seen: Set<Oddity> = []
        let findings = self.findings()
        // What a profile was chosen for isn't a warning, nor line ends alone.
        var expected: Set<Oddity> = [.notFormData, .bareLineFeed, .missingClose]
        let isExplained = findings.contains {
            [.byteOrderMark, .delimiterInPreamble].contains($0.oddity) || $0.oddity == .strayDelimiter && $0.part == nil
        }
        if isExplained || !self.hasPreambleText { expected.insert(.preamble) }
        if findings.contains(where: { $0.oddity == .partAfterEnd }) { expected.insert(.epilogue) }
        return findings.compactMap { finding in
            let oddity = finding.oddity
            guard oddity.isAmbiguous, !expected.contains(oddity), seen.insert(oddity).inserted else { return nil }
            let offset = finding.offset.map { "offset \($0)" } ?? "the Content-Type"
            let place = (finding.part.map { "part \($0.index + 1), " } ?? "") + offset
            let sentence = finding.message.hasSuffix(".") ? String(finding.message.dropLast()) : finding.message
            return "\(place) is read differently by other receivers: \(sentence)"
        }
    }

    /// The probable cause of an error, as half a sentence; `nil` if nothing was seen.
    func cause(of error: FormworkError, _ recent: RecentBytes) -> String? {
        switch error.parsingFailure?.kind {
        case .malformedHeader?:
            guard let offset = error.offset, let line = recent.line(at: offset), !line.namesField else { return nil }
            let text = DisplayText(String(decoding: line, as: UTF8.self), limit: 60).text
            return
                "the line \"\(text)\" belongs to the content, and the empty line between header and content is missing"
        case .unexpectedEnd?:
            let strays: Set<Oddity> = [.strayDelimiter, .delimiterBesideLineFeed]
            guard let offset = self.findings().first(where: { strays.contains($0.oddity) })?.offset else { return nil }
            return "there is a delimiter at offset \(offset), but CRLF isn't before and after it"
        default: return nil
        }
    }
}

/// The last bytes of a body, with the current chunk.
struct RecentBytes {
    private static let limit = 64 << 10

    private var earlier: [UInt8] = []
    private var chunk: [UInt8] = []
    /// The offset of the chunk.
    private var start: Int64 = 0

    mutating func take(_ chunk: [UInt8]) {
        self.start += Int64(self.chunk.count)
        self.earlier = Array((self.earlier + self.chunk.suffix(Self.limit)).suffix(Self.limit))
        self.chunk = chunk
    }

    /// The line that begins at an offset, without its end; `nil` if its bytes are gone.
    func line(at offset: Int64) -> ArraySlice<UInt8>? {
        let place = offset - self.start + Int64(self.earlier.count)
        let all = self.earlier + self.chunk
        guard all.indices.contains(Int(clamping: place)) else { return nil }
        return all[Int(place)...].prefix { $0 != 0x0A && $0 != 0x0D }
    }
}

extension ArraySlice<UInt8> {
    /// Whether the line begins like a header field: a name, and a colon after it or after blanks.
    fileprivate var namesField: Bool {
        let name = self.prefix { $0.isTokenByte }
        let rest = self[name.endIndex...].drop { $0 == 0x20 || $0 == 0x09 }
        return !name.isEmpty && rest.first == 0x3A
    }
}
