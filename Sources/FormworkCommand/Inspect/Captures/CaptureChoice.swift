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
            throw ExitStatus(2, "--entry \(number): this entry of the \(kind) \(reason)\(self.list(forms))")
        }
        guard let first = forms.first else {
            throw FormworkError(.malformedBody, "no entry of this \(kind) has a multipart body")
        }
        try ExitStatus.refuse(
            if: forms.count > 1,
            "\(forms.count, "entry") of this \(kind) have a multipart body: choose one with --entry N"
                + self.list(forms))
        return first
    }

    private static func list(_ forms: [some CaptureEntry]) -> String {
        guard !forms.isEmpty else { return "" }
        let shown = forms.prefix(10).map { "\($0.number) (\($0.title.shortened(to: 60)))" }
        let more = forms.count > 10 ? " and \(forms.count - 10) more" : ""
        return "; entries with one: " + shown.joined(separator: ", ") + more
    }
}

/// A request as HTTP/1.x bytes: its head and its body.
struct CapturedMessage: CaptureEntry {
    let number: Int
    let bytes: [UInt8]

    private let head: MessageHead?

    init(number: Int, bytes: [UInt8]) {
        (self.number, self.bytes) = (number, bytes)
        let end = MessageHead.end(in: bytes[...], from: 0)?.lowerBound ?? bytes.count
        self.head = try? MessageHead(bytes[..<end], skipsInvalidLines: true)
    }

    /// The first line without the version, and the host.
    var title: String {
        let words = self.head?.startLine ?? []
        return words.count < 2
            ? words.joined(separator: " ") : "\(words[0]) \(self.head?.value("Host") ?? "")\(words[1])"
    }

    var isForm: Bool { self.head?.value("Content-Type")?.lowercased().hasPrefix("multipart/") ?? false }
}
