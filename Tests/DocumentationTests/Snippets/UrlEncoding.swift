import FormworkURLEncoded

func urlEncoding() async throws -> (texts: [String], tree: ParameterValue) {
    let parameters: ParameterValue = ["title": "Harbour at dawn", "tags": ["sea", "fog"], "draft": false]
    let browser = try URLEncodedDialect.whatwg.encode(parameters)
    // title=Harbour+at+dawn&tags%5B%5D=sea&tags%5B%5D=fog&draft=false
    let php = try URLEncodedDialect.phpRFC3986.encode(parameters)
    // title=Harbour%20at%20dawn&tags%5B0%5D=sea&tags%5B1%5D=fog&draft=0
    let tree = try URLEncodedDialect.php.decode("tags[]=sea&tags[]=fog&crew[mate]=J%C3%BCrgen")
    // ["tags": ["sea", "fog"], "crew": ["mate": "Jürgen"]]

    var search = URLEncodedDialect.whatwg
    search.flattening.arrays = .repeated
    search.values = .rfc3986
    let query = try search.encode(["q": "fog & sea", "page": [1, 2]])
    // q=fog%20%26%20sea&page=1&page=2
    return ([browser, php, query], tree)
}

func ownTypes() async throws -> String {
    struct Search: Codable {
        var words: String
        var pages: [Int]
        var since: Int?
    }

    let text = try URLEncodedDialect.php.encode(Search(words: "fog", pages: [1, 2]))
    // words=fog&pages%5B0%5D=1&pages%5B1%5D=2
    let search = try URLEncodedDialect.rails.decode(Search.self, from: "words=fog&pages[]=1&pages[]=2")
    // Search(words: "fog", pages: [1, 2], since: nil)
    return "\(text) \(search)"
}

func checkedEncoding() async throws {
    var checked = URLEncodedDialect.alamofire
    checked.checksReadBack = true
    _ = try checked.encode(["crew": [["name": "Ada"], ["age": 36]]])
    // error: "crew" would be read back as 1 element, not 2: give its objects the same members in the same order
}

func urlEncodedPieces() async throws -> [String] {
    var parser = URLEncodedParser(rules: URLEncodedParsing(invalidText: .refused))
    var names: [String] = []
    for chunk in [Array("title=Harb".utf8), Array("our&dra".utf8), Array("ft".utf8)] {
        parser.append(chunk)
        while let pair = try parser.next() { names.append(pair.name) }
    }
    parser.finish()
    while let pair = try parser.next() { names.append(pair.name) }
    // ["title", "draft"]
    return names
}
