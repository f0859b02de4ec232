import FormworkCore

extension BodyPlan {
    /// Reads the body and says where it departs from RFC 7578, see ``FormLint``.
    ///
    /// A source that can be read once is read here, and not again: for such a body, feed a lint with the chunks sent.
    /// - Returns: What was found, in the order of the body; empty for a form that every receiver reads alike.
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
