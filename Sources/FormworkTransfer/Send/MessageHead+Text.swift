#if Transfer
import Formwork
import FormworkCommand
import FormworkNIO
import HTTPTypes

extension HTTPRequest {
    /// The head as HTTP/1.1 writes it, in lines without their ends. Credentials are masked.
    func lines(isHTTP2: Bool) -> [String] {
        ["\(self.method) \(self.path ?? "/") HTTP/\(isHTTP2 ? "2" : "1.1")", "Host: \(self.authority ?? "")"]
            + self.headerFields.map(\.maskedLine)
    }
}

extension HTTPResponse {
    /// The head as HTTP/1.1 writes it, in lines without their ends. Credentials are masked.
    func lines(isHTTP2: Bool) -> [String] {
        let reason = self.status.reasonPhrase
        let first =
            "HTTP/\(isHTTP2 ? "2" : "1.1") \(self.status.code)" + (isHTTP2 || reason.isEmpty ? "" : " \(reason)")
        return [first] + self.headerFields.map(\.maskedLine)
    }
}

extension HTTPField {
    /// `Name: value`; of credentials only the scheme is shown.
    fileprivate var maskedLine: String {
        guard Redirection.carriesCredentials(self.name.rawName) else { return "\(self.name.rawName): \(self.value)" }
        let words = self.value.split(separator: " ", maxSplits: 1)
        let isScheme = [.authorization, .proxyAuthorization].contains(self.name) && words.count == 2
        return "\(self.name.rawName): \(isScheme ? "\(words[0]) " : "")***"
    }
}
#endif
