#if Resumable
import FormworkCore
import FormworkHTTP

/// `Upload-Metadata` of tus 1.0: keys in their order, each with bytes.
public struct TusMetadata: Sendable, Hashable, Codable {
    /// A key with its bytes.
    public struct Entry: Sendable, Hashable, Codable {
        /// Not empty, without spaces and commas.
        public var key: String
        /// Any bytes; mostly text in UTF-8.
        public var value: [UInt8]
    }

    /// All of them, in their order.
    public private(set) var entries: [Entry] = []

    /// Nothing.
    public init() {}

    /// Reads a field's value; `nil` for a key that is empty or comes twice, or a value that isn't base64.
    package init?(_ fieldValue: String) {
        for entry in fieldValue.split(separator: ",", omittingEmptySubsequences: false) {
            let words = entry.split(separator: " ")
            // tus.io's own clients write an empty field where there is nothing to say.
            if words.isEmpty, fieldValue.allSatisfy({ $0 == " " }) { return }
            guard (1...2).contains(words.count), self[String(words[0])] == nil,
                let value = Base64.decode(words.count == 2 ? String(words[1]) : "")
            else { return nil }
            self.entries.append(Entry(key: String(words[0]), value: value))
        }
    }

    /// `filename Zm9v,is_confidential`.
    package var fieldValue: String {
        self.entries.map { entry in
            entry.value.isEmpty ? entry.key : "\(entry.key) \(Base64.encode(entry.value))"
        }.joined(separator: ",")
    }

    /// The text under a key; `nil` when there is none, or it isn't UTF-8. Setting takes away what was there; a key
    /// that the protocol doesn't allow is not set.
    public subscript(key: String) -> String? {
        get {
            self.entries.first { $0.key == key }.flatMap { String(validating: $0.value, as: UTF8.self) }
        }
        set {
            self.entries.removeAll { $0.key == key }
            let isKey = !key.isEmpty && key.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x2C }
            if let newValue, isKey { self.entries.append(Entry(key: key, value: Array(newValue.utf8))) }
        }
    }
}
#endif
