/// The filename in a message's own `Content-Disposition` (RFC 6266), of any disposition type.
package enum DispositionFilename {
    /// The name as sent, preferably from `filename*`; `nil` if there is none, or the value can't be read.
    package static func read(_ value: String) -> String? {
        let text = Array(value.utf8)
        let bytes = text.span
        var place = text.firstIndex(of: 0x3B) ?? text.count
        var plain: String?
        var extended: String?
        do throws(MalformedParameter) {
            while let next = try bytes.nextParameter(at: &place, before: text.count, .escape) {
                let found = text[next.value]
                if next.name.count == 8, bytes.holds("filename", in: next.name) {
                    let undone = next.isQuoted ? ParsingProfile.Backslashes.escape.undone(found) : found
                    plain = plain ?? String(validating: undone, as: UTF8.self)
                } else if next.name.count == 9, bytes.holds("filename*", in: next.name) {
                    extended = extended ?? ExtendedValue.text(of: found)
                }
            }
        } catch {
            return nil
        }
        return extended ?? plain
    }
}
