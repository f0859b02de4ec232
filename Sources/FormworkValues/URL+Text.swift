import FormworkEssentials
import Formwork

extension URL {
    /// A URL or a reference as users and servers write it: characters that a URL can't have are escaped, and so is a `%` that
    /// begins no escape. Escapes stay as they are (RFC 3986 section 2.4).
    ///
    /// `URL(string:)` escapes all of a path or query that has one such character, including its escapes.
    /// - Parameter base: The URL that a reference is resolved against.
    package init?(text: String, relativeTo base: URL? = nil) {
        guard let url = URL(string: Self.escaped(text), relativeTo: base)?.absoluteURL else { return nil }
        self = url
    }

    /// The text with its user, path, query and fragment escaped. A host is never escaped.
    private static func escaped(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var place = self.schemeCount(bytes)
        var output = Array(bytes[..<place])
        if bytes[place...].starts(with: "//".utf8) {
            let start = place + 2
            place = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
            let host = bytes[start..<place].lastIndex(of: UInt8(ascii: "@")) ?? start
            output += Array("//".utf8)
            self.escape(bytes[start..<host], allowing: "!$&'()*+,;=:", to: &output)
            output += bytes[host..<place]
        }
        let query = bytes[place...].firstIndex { "?#".utf8.contains($0) } ?? bytes.endIndex
        let fragment = bytes[query...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        self.escape(bytes[place..<query], allowing: "!$&'()*+,;=:@/", to: &output)
        self.escape(bytes[query..<fragment], allowing: "!$&'()*+,;=:@/?", to: &output)
        if fragment < bytes.endIndex { output.append(bytes[fragment]) }
        self.escape(bytes[fragment...].dropFirst(), allowing: "!$&'()*+,;=:@/?", to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// How many bytes the scheme and its colon have; 0 for a relative reference.
    private static func schemeCount(_ bytes: [UInt8]) -> Int {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0, bytes[0].isLetter,
            bytes[..<colon].allSatisfy({ $0.isLetterOrDigit || "+-.".utf8.contains($0) })
        else { return 0 }
        return colon + 1
    }

    private static func escape(_ bytes: ArraySlice<UInt8>, allowing signs: String, to output: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        for (index, byte) in zip(bytes.indices, bytes) {
            let isEscape =
                byte == UInt8(ascii: "%") && bytes.endIndex - index > 2 && bytes[index + 1].hexDigit != nil
                && bytes[index + 2].hexDigit != nil
            if isEscape || byte.isLetterOrDigit || "-._~".utf8.contains(byte) || signs.utf8.contains(byte) {
                output.append(byte)
            } else {
                output += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
    }
}
