import Formwork

/// Bodies in memory.
package enum Bodies {
    /// The boundary of all of them, as a browser would write it.
    package static let boundary = "----WebKitFormBoundaryformworkbench0123"
    /// The type of the multipart ones.
    package static let multipart = "multipart/form-data; boundary=\(boundary)"
    /// The type of the url-encoded ones.
    package static let urlEncoded = "application/x-www-form-urlencoded"

    /// Five fields and a file of 2 KiB.
    package static let signUp = body(
        [("name", "Jane Doe"), ("email", "jane@example.com"), ("city", "Hamburg"), ("age", "42"), ("agrees", "on")],
        file: ("photo", "harbour.jpg", "image/jpeg", (0..<2048).map { UInt8(truncatingIfNeeded: $0 * 31) }))

    /// The five fields, url-encoded.
    package static let signUpURLEncoded = Array(
        "name=Jane+Doe&email=jane%40example.com&city=Hamburg&age=42&agrees=on".utf8)

    /// Twenty fields.
    package static let order = body([
        ("street", "Am Sandtorkai"), ("house", "12"), ("town", "Hamburg"), ("zip", "20457"), ("country", "Germany"),
        ("phone", "+49 40 123456"), ("email", "jane@example.com"), ("company", "Doe & Sons"), ("vat", "DE123456789"),
        ("quantity", "3"), ("price", "19.95"), ("discount", "0.5"), ("gift", "off"), ("express", "on"),
        ("insured", "yes"), ("note", "Ring twice, please"), ("coupon", "SPRING"), ("weight", "2.75"), ("floor", "4"),
        ("language", "de"),
    ])

    /// 1,000 fields of 16 bytes.
    package static let shortFields = fields(1_000, of: 16)
    /// 1,000 fields of 670 bytes.
    package static let longFields = fields(1_000, of: 670)

    /// 1,000 names and values for composing, which are made before anything is counted.
    package static let names = (0..<1_000).map { "field\(1_000_000 + $0)" }
    package static let values = (0..<1_000).map { "value-\(10_000_000 + $0)" }

    private static func fields(_ count: Int, of size: Int) -> [UInt8] {
        body((0..<count).map { ("field\($0)", String(repeating: "x", count: size)) })
    }

    static func body(
        _ fields: [(String, String)], file: (name: String, filename: String, type: String, bytes: [UInt8])? = nil
    ) -> [UInt8] {
        var body: [UInt8] = []
        for (name, value) in fields {
            let head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n"
            body += Array("\(head)\(value)\r\n".utf8)
        }
        if let file {
            let head =
                "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(file.name)\"; "
                + "filename=\"\(file.filename)\"\r\nContent-Type: \(file.type)\r\n\r\n"
            body += Array(head.utf8) + file.bytes + Array("\r\n".utf8)
        }
        return body + Array("--\(boundary)--\r\n".utf8)
    }
}

/// A body that is always ready, in chunks of one size, as from a server's connection.
package struct ReadyChunks: AsyncSequence, Sendable {
    let body: [UInt8]
    let size: Int

    /// Chunks of `size` bytes.
    package init(_ body: [UInt8], of size: Int) { (self.body, self.size) = (body, size) }

    package struct AsyncIterator: AsyncIteratorProtocol {
        let body: [UInt8]
        let size: Int
        var position = 0

        package mutating func next() async -> ArraySlice<UInt8>? {
            guard self.position < self.body.count else { return nil }
            let start = self.position
            self.position = Swift.min(start + self.size, self.body.count)
            return self.body[start..<self.position]
        }
    }

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self.body, size: self.size) }
}
