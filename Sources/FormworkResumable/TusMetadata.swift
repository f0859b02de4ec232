import FormworkCore

/// `Upload-Metadata` of tus 1.0: keys in their order, each with bytes.
public struct TusMetadata: Sendable, Hashable, Codable {
    /// A key with its bytes.
    public struct Entry: Sendable, Hashable, Codable {
        /// Not empty, without spaces or commas.
        public var key: String
        /// Any bytes; mostly text in UTF-8.
        public var value: [UInt8]
    }

    /// The entries in their order.
    public private(set) var entries: [Entry] = []

    /// Creates metadata without entries.
    package init() {}

    /// Reads a field's value; `nil` if a key is empty or appears twice, or a value isn't base64.
    init?(_ fieldValue: String) {
        // tus.io's own clients send an empty field if there is no metadata.
        if fieldValue.utf8.allSatisfy({ $0 == UInt8(ascii: " ") }) { return }
        // A set: a field may have thousands of keys, and a search for each would take minutes.
        var keys: Set<String> = []
        for entry in fieldValue.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let words = entry.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
            guard (1...2).contains(words.count), keys.insert(words[0]).inserted,
                let value = Base64.decode(words.count == 2 ? words[1] : "")
            else { return nil }
            self.entries.append(Entry(key: words[0], value: value))
        }
    }

    /// `filename Zm9v,is_confidential`.
    package var fieldValue: String {
        self.entries.map { entry in
            entry.value.isEmpty ? entry.key : "\(entry.key) \(Base64.encode(entry.value))"
        }.joined(separator: ",")
    }

    /// The text for a key; `nil` if there is none, or it isn't UTF-8. Setting replaces the previous value; a key that
    /// the protocol doesn't allow isn't set.
    public subscript(key: String) -> String? {
        get {
            self.entries.first { $0.key == key }.flatMap { String(validating: $0.value, as: UTF8.self) }
        }
        set {
            self.entries.removeAll { $0.key == key }
            if let newValue, Self.isKey(key) { self.entries.append(Entry(key: key, value: Array(newValue.utf8))) }
        }
    }

    /// Whether the protocol allows a key.
    package static func isKey(_ key: String) -> Bool {
        !key.isEmpty && key.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x2C }
    }

    /// Adds an entry with a key that is allowed and new.
    package mutating func append(_ key: String, _ value: [UInt8]) { self.entries.append(Entry(key: key, value: value)) }
}
