import Formwork

/// A request in a capture of several.
protocol CaptureEntry {
    /// Its place in the capture, from 1.
    var number: Int { get }
    /// Method and URL.
    var title: String { get }
}

/// Chooses the request that is inspected.
enum CaptureChoice {
    /// - Parameters:
    ///   - number: `--entry`; `nil` for the only request with a multipart body.
    ///   - forms: The requests with one.
    ///   - count: All requests.
    ///   - kind: What the capture is, such as `HAR file`.
    static func choose<Entry: CaptureEntry>(
        _ number: Int?, _ forms: [Entry], count: Int, of kind: String
    ) throws -> Entry {
        if let number {
            if let form = forms.first(where: { $0.number == number }) { return form }
            let isThere = (1...max(count, 1)).contains(number)
            let reason = isThere ? "has no multipart body" : "is missing: there are \(count)"
            throw ExitStatus(2, "formwork: --entry \(number): this entry of the \(kind) \(reason)\(self.list(forms))")
        }
        guard let first = forms.first else {
            throw FormworkError(.malformedBody, "no entry of this \(kind) has a multipart body")
        }
        guard forms.count == 1 else {
            throw ExitStatus(
                2,
                "formwork: \(forms.count, "entry") of this \(kind) have a multipart body: choose one with --entry N"
                    + self.list(forms))
        }
        return first
    }

    private static func list(_ forms: [some CaptureEntry]) -> String {
        guard !forms.isEmpty else { return "" }
        let shown = forms.prefix(10).map { "\($0.number) (\(self.short($0.title)))" }
        let more = forms.count > 10 ? " and \(forms.count - 10) more" : ""
        return "; entries with one: " + shown.joined(separator: ", ") + more
    }

    private static func short(_ title: String) -> String {
        title.shortened(to: 60).withControlCharactersEscaped
    }
}

/// A request as HTTP/1.x bytes: its head and its body.
struct CapturedMessage: CaptureEntry {
    let number: Int
    let bytes: [UInt8]

    /// The first line without the version, and the host.
    var title: String {
        let line = String(decoding: self.bytes.prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
        let words = line.split(separator: " ")
        guard words.count >= 2 else { return line }
        return "\(words[0]) \(self.field("host") ?? "")\(words[1])"
    }

    var isForm: Bool { self.field("content-type")?.lowercased().hasPrefix("multipart/") ?? false }

    private func field(_ name: String) -> String? {
        var rest = self.bytes[...]
        while let lf = rest.firstIndex(of: 0x0A) {
            let line = String(decoding: rest[..<lf], as: UTF8.self)
            rest = rest[(lf + 1)...]
            if line.allSatisfy(\.isWhitespace) { return nil }
            let words = line.split(separator: ":", maxSplits: 1)
            if words.count == 2, words[0].lowercased() == name {
                return String(words[1].drop { $0 == " " }.prefix { !$0.isNewline })
            }
        }
        return nil
    }
}
