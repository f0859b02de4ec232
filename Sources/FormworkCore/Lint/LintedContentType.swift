/// A lint's view of `Content-Type`, with the boundary to use even if it is invalid.
struct LintedContentType {
    private(set) var boundary: [UInt8] = []
    private(set) var findings: [(FormLint.Rule, String)] = []
    /// Why the body can't be read; `nil` if it can.
    private(set) var error: FormworkError?

    init(_ text: String) {
        let bytes = Array(text.utf8)
        let backslashes = ParsingProfile.Backslashes.guessed
        var isQuoted = false
        var (count, isReadable) = (0, true)
        var place = bytes.firstIndex(of: 0x3B) ?? bytes.count
        let type = String(decoding: bytes[..<place], as: UTF8.self).lowercased().filter { $0 != " " && $0 != "\t" }
        do throws(MalformedParameter) {
            let span = bytes.span
            while let next = try span.nextParameter(at: &place, before: bytes.count, backslashes) {
                guard span.holds("boundary", in: next.name) else { continue }
                count += 1
                isQuoted = next.isQuoted
                self.boundary = Array(next.isQuoted ? backslashes.undone(bytes[next.value]) : bytes[next.value])
            }
        } catch {
            isReadable = false
        }
        isReadable = isReadable && count == 1 && !self.boundary.isEmpty && type.hasPrefix("multipart/")
        // A line can't contain these bytes, so a delimiter can't either.
        guard isReadable, !self.boundary.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 }) else {
            self.error = Self.refusal(text)
            return
        }
        if type != "multipart/form-data" {
            self.findings.append(
                (.notFormData, "Content-Type is not multipart/form-data: forms are sent as that, or url-encoded."))
        }
        self.checkBoundary(isQuoted: isQuoted)
    }

    /// The parser's error for a type with which it can't read a body.
    private static func refusal(_ text: String) -> FormworkError {
        do throws(FormworkError) {
            _ = try MultipartParser(contentType: text, profile: .generic)
            return ParsingFailure(.invalidContentType).error("The Content-Type can't be read.", at: nil)
        } catch {
            return error
        }
    }

    private mutating func checkBoundary(isQuoted: Bool) {
        if let bad = self.boundary.first(where: { !$0.isBoundaryByte }) {
            let shown = String(Unicode.Scalar(bad)).withControlCharactersEscaped
            self.findings.append(
                (.boundaryCharacters, "The boundary contains \"\(shown)\": use only letters, digits and '()+_,-./:=?."))
        }
        if self.boundary.count > 70 {
            self.findings.append(
                (.boundaryLength, "The boundary has \(self.boundary.count, "byte"): use at most 70."))
        }
        if self.boundary.last == 0x20 {
            self.findings.append(
                (.boundaryTrailingSpace, "The boundary ends with a space: end it with another character."))
        }
        if !isQuoted, self.boundary.contains(where: { $0.isBoundaryByte && !$0.isTokenByte }) {
            self.findings.append(
                (
                    .boundaryUnquoted,
                    "The boundary needs quotes and has none: quote it, or use letters and digits."
                ))
        }
    }
}
