import FormworkEssentials

/// A description of a failed request, for programs and people: `application/problem+json` (RFC 9457).
public struct ProblemDetails: Error, Hashable, Sendable {
    /// The media type of ``jsonBytes``.
    public static let contentType = "application/problem+json"

    /// A URI that identifies the kind of problem; `about:blank` means the kind is the status alone (§4.2.1).
    public var type: String
    /// The kind of problem in words; for `about:blank` the status's own phrase.
    public var title: String
    /// The HTTP status code, 100 to 599.
    public var status: Int
    /// This occurrence in words, without paths of this machine; `nil` if there is nothing to add.
    public var detail: String?
    /// Further members (§3.2). Members with the names of the properties above are ignored.
    public var members: [String: String]

    /// Further members that are numbers.
    package var numbers: [String: Int64] = [:]

    /// Describes a problem.
    public init(
        type: String = "about:blank", title: String, status: Int, detail: String? = nil,
        members: [String: String] = [:]
    ) {
        (self.type, self.title, self.status, self.detail, self.members) = (type, title, status, detail, members)
    }

    /// The problem as a JSON object with sorted keys.
    public var jsonBytes: [UInt8] { JSONBytes.encode(Members(problem: self)) }
}

private struct Members: Encodable {
    struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { self.stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    var problem: ProblemDetails

    func encode(to encoder: any Encoder) throws {
        let standard: Set = ["type", "title", "status", "detail"]
        var object = encoder.container(keyedBy: Key.self)
        for (name, value) in self.problem.members where !standard.contains(name) {
            try object.encode(value, forKey: Key(name))
        }
        for (name, value) in self.problem.numbers where !standard.contains(name) {
            try object.encode(value, forKey: Key(name))
        }
        try object.encode(self.problem.type, forKey: Key("type"))
        try object.encode(self.problem.title, forKey: Key("title"))
        try object.encode(self.problem.status, forKey: Key("status"))
        try object.encodeIfPresent(self.problem.detail, forKey: Key("detail"))
    }
}

/// A program's own values as JSON, with sorted keys.
package enum JSONBytes {
    /// - Parameter value: Has strings and integers, which always encode.
    package static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return Array("{}".utf8) }
        return Array(data)
    }
}
