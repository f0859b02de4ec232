#if Transfer
/// The host and port of an authority.
struct ServerName {
    var host: String
    var port: Int?

    /// - Parameter authority: `host`, `host:port`, or an IPv6 address, which has brackets if a port follows it.
    init(_ authority: String) {
        let bytes = authority.utf8
        (self.host, self.port) = (authority, nil)
        if let colon = bytes.lastIndex(of: UInt8(ascii: ":")) {
            let (rest, digits) = (bytes[..<colon], bytes[bytes.index(after: colon)...])
            let hasBrackets = rest.first == UInt8(ascii: "[")
            let isPort = hasBrackets ? rest.last == UInt8(ascii: "]") : !rest.contains(UInt8(ascii: ":"))
            if isPort, !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) {
                (self.host, self.port) = (String(Substring(rest)), Int(String(Substring(digits))))
            }
        }
        if self.host.utf8.first == UInt8(ascii: "["), self.host.utf8.last == UInt8(ascii: "]") {
            self.host = String(self.host.dropFirst().dropLast())
        }
    }
}
#endif
