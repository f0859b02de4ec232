extension ReceivedHeader {
    /// The parameter `charset` of `Content-Type` (RFC 7578 §5.1.2) in lower case; `nil` if there is none, or it can't
    /// be read.
    package var charset: String? {
        guard self.hasContentType, let type = self.contentType else { return nil }
        return Self.charset(of: Array(type.utf8))
    }

    /// The parameter `charset` of a type.
    static func charset(of type: [UInt8]) -> String? {
        guard let start = type.firstIndex(of: 0x3B) else { return nil }
        let text = type.span
        var list = ParameterList(start..<type.count, .escape)
        while let next = (try? list.next(in: text)) ?? nil {
            guard text.holds("charset", in: next.name) else { continue }
            return String(decoding: type[next.value], as: UTF8.self).trimmedLabel
        }
        return nil
    }

    /// Whether the type is JSON: `application/json`, or a subtype that ends with `+json`.
    package var isJSON: Bool {
        guard self.hasContentType, let type = self.contentType else { return false }
        let essence = type.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        return essence == "application/json" || (essence.hasPrefix("application/") && essence.hasSuffix("+json"))
    }
}

extension String {
    /// A charset's name without surrounding blanks, in lower case; `nil` if it is empty or longer than any charset's
    /// name.
    package var trimmedLabel: String? {
        let bytes = self.utf8.drop(while: \.isBlank).prefix { !$0.isBlank }
        guard !bytes.isEmpty, bytes.count <= 64 else { return nil }
        return String(Substring(bytes)).lowercased()
    }
}
