/// curl's configuration (`-K`), which isn't in the list of processes: headers, URL and credentials.
struct CurlConfiguration {
    private(set) var text = ""

    /// Adds an option with a value. curl reads these escapes between double quotes.
    mutating func add(_ option: String, _ value: String) {
        let escapes: [Unicode.Scalar: String] = [
            "\\": "\\\\", "\"": "\\\"", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\u{B}": "\\v",
        ]
        // By scalars: a quote and a combining mark after it are one Character, but curl would end the value there.
        self.text += "\(option) = \"\(value.unicodeScalars.map { escapes[$0] ?? String($0) }.joined())\"\n"
    }
}
