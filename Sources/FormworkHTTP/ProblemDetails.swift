#if NIO
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// What was wrong with a request, for programs and people: `application/problem+json` (RFC 9457).
    public struct ProblemDetails: Hashable, Sendable {
        /// The media type of ``jsonBytes``.
        public static let contentType = "application/problem+json"

        /// A URI that identifies the kind of problem; `about:blank` says that it is the status alone (§4.2.1).
        public var type: String
        /// The kind of problem in words; for `about:blank` the status's own phrase.
        public var title: String
        /// The HTTP status code, 100 to 599.
        public var status: Int
        /// This occurrence in words; `nil` for none.
        public var detail: String?
        /// Further members (§3.2). One with the name of a member above is replaced by that.
        public var members: [String: String]

        /// Describes a problem.
        public init(
            type: String = "about:blank", title: String, status: Int, detail: String? = nil,
            members: [String: String] = [:]
        ) {
            (self.type, self.title, self.status, self.detail) = (type, title, status, detail)
            self.members = members
        }

        /// The document, members in the order of their names.
        public var jsonBytes: [UInt8] {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            // Texts and an integer: nothing that an encoder could refuse.
            return (try? encoder.encode(Document(problem: self))).map { Array($0) } ?? Array("{}".utf8)
        }
    }

    private struct Document: Encodable {
        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        let problem: ProblemDetails

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            for (name, value) in self.problem.members {
                try container.encode(value, forKey: Key(stringValue: name))
            }
            // Behind the others, so that none of them takes their place.
            try container.encode(self.problem.type, forKey: Key(stringValue: "type"))
            try container.encode(self.problem.title, forKey: Key(stringValue: "title"))
            try container.encode(self.problem.status, forKey: Key(stringValue: "status"))
            if let detail = self.problem.detail { try container.encode(detail, forKey: Key(stringValue: "detail")) }
        }
    }
#endif
