#if Transfer
/// The host and port of an authority.
struct ServerName {
    var host: String
    var port: Int?

    init(_ authority: String) {
        let digits = authority.reversed().prefix { $0.isASCII && $0.isNumber }
        let rest = authority.dropLast(digits.count)
        if rest.hasSuffix(":"), !digits.isEmpty {
            (self.host, self.port) = (String(rest.dropLast()), Int(String(digits.reversed())))
        } else {
            (self.host, self.port) = (authority, nil)
        }
        if self.host.hasPrefix("["), self.host.hasSuffix("]") { self.host = String(self.host.dropFirst().dropLast()) }
    }
}
#endif
