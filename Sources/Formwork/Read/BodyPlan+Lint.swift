import FormworkCore

extension BodyPlan {
    /// Reads the body and lists its departures from RFC 7578, see ``FormLint``.
    ///
    /// This uses up a source that can be read only once. For such a body, pass the chunks to a lint while they are
    /// sent.
    /// - Returns: The findings, in the order of the body; empty for a form that all receivers read in the same way.
    /// - Throws: What ``BodyReader/read(into:)`` throws.
    public func lint() throws(FormworkError) -> [FormLint.Finding] {
        var lint = FormLint(contentType: self.contentType)
        let reader = self.makeReader()
        while true {
            let chunk = try reader.read(upTo: 256 << 10)
            guard !chunk.isEmpty else { return lint.finish() }
            lint.take(chunk)
        }
    }
}
