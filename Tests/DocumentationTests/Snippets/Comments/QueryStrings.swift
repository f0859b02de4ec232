import FormworkURLEncoded

// The examples in the comments of URLEncodedDialect and URLEncodedParser.

func queryOfAlamofire() async throws -> String {
    let text = try URLEncodedDialect.alamofire.encode(["page": 1, "tags": ["a", "b"]])
    // page=1&tags%5B%5D=a&tags%5B%5D=b
    return text
}

func queryOfPieces(_ chunks: [[UInt8]], _ use: (URLEncodedPair) -> Void) async throws {
    var parser = URLEncodedParser()
    for chunk in chunks {
        parser.append(chunk)
        while let pair = try parser.next() { use(pair) }
    }
    parser.finish()
    while let pair = try parser.next() { use(pair) }
}
