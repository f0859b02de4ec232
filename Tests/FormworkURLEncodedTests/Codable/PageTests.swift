import FormworkURLEncoded
import Testing

/// What pages of web frameworks send. PHP 8.2's `parse_str`, Rack 2.2's `parse_nested_query` and Python's `parse_qs` read the
/// same pairs as the values here.
@Suite("Pages of PHP, Rails, Django and Spring as Codable types", .timeLimit(.minutes(10)))
struct PageTests {
    struct Address: Codable, Equatable { var city: String }
    struct Row: Codable, Equatable { var n: Int }

    struct PHPPage: Codable, Equatable {
        var name: String
        var langs: [String]
        var address: Address
        var rows: [Row]
        var sorted: [String]
        var agree: Bool
        var age: Int?
    }

    @Test("PHP: the last of several values counts, deleted rows leave no gap, and an empty number is nil")
    func php() throws {
        let text =
            "name=Ada&langs[]=php&langs[]=swift&address[city]=Kiel&rows[0][n]=1&rows[2][n]=2&sorted[1]=b&sorted[0]=a"
            + "&agree=0&agree=1&age="
        let page = try URLEncodedDialect.php.decode(PHPPage.self, from: text)
        #expect(
            page
                == PHPPage(
                    name: "Ada", langs: ["php", "swift"], address: Address(city: "Kiel"), rows: [Row(n: 1), Row(n: 2)],
                    sorted: ["a", "b"], agree: true, age: nil))
    }

    @Test("Text, an array of bytes, a part of one and other sequences are read alike")
    func sources() throws {
        let bytes = Array("xn=7&".utf8)
        for row in [
            try URLEncodedDialect.php.decode(Row.self, from: "n=7"),
            try URLEncodedDialect.php.decode(Row.self, from: Array("n=7".utf8)),
            try URLEncodedDialect.php.decode(Row.self, from: bytes[1..<4]),
            try URLEncodedDialect.php.decode(Row.self, from: "n=7".utf8),
        ] { #expect(row == Row(n: 7)) }
    }

    struct Comment: Codable, Equatable { var body: String }

    struct Post: Codable, Equatable {
        var title: String
        var tags: [String]
        var comments_attributes: [Comment]
        var published: Bool
        var age: Int?
    }

    @Test("Rails: nested attributes with gaps, a checkbox with its hidden field, and a list with its empty field")
    func rails() throws {
        let text =
            "post[title]=Fog&post[tags][]=&post[tags][]=a&post[comments_attributes][0][body]=x"
            + "&post[comments_attributes][2][body]=y&post[published]=0&post[published]=1&post[age]="
        let page = try URLEncodedDialect.rails.decode([String: Post].self, from: text)
        #expect(
            page["post"]
                == Post(
                    title: "Fog", tags: ["", "a"], comments_attributes: [Comment(body: "x"), Comment(body: "y")],
                    published: true, age: nil))
    }

    struct Django: Codable, Equatable {
        enum CodingKeys: String, CodingKey {
            case total = "form-TOTAL_FORMS"
            case first = "form-0-name"
            case second = "form-1-name"
            case agree, tags, age
        }

        var total: Int, first: String, second: String, agree: Bool, tags: [String], age: Int?
    }

    @Test("Django: names without levels, repeated for a list")
    func django() throws {
        let text = "form-TOTAL_FORMS=2&form-0-name=a&form-1-name=b&agree=on&tags=a&tags=b&age="
        #expect(
            try URLEncodedDialect.whatwg.decode(Django.self, from: text)
                == Django(total: 2, first: "a", second: "b", agree: true, tags: ["a", "b"], age: nil))
    }

    struct Spring: Codable, Equatable {
        struct User: Codable, Equatable { var name: String, tags: [String] }
        var user: User
        var rows: [Row]
        var agree: Bool
    }

    @Test("Spring: members after dots, elements in brackets")
    func spring() throws {
        var dialect = URLEncodedDialect(flattening: Flattening(arrays: .indexed, members: .dots), expansion: .dots)
        dialect.checksReadBack = true
        let text = "user.name=Ada&user.tags[0]=a&user.tags[1]=b&rows[0].n=1&rows[1].n=2&_agree=on&agree=true"
        let page = try dialect.decode(Spring.self, from: text)
        #expect(
            page == Spring(user: .init(name: "Ada", tags: ["a", "b"]), rows: [Row(n: 1), Row(n: 2)], agree: true))
        #expect(
            try dialect.encode(page)
                == "user.name=Ada&user.tags%5B0%5D=a&user.tags%5B1%5D=b&rows%5B0%5D.n=1&rows%5B1%5D.n=2&agree=true")
    }

    enum Word: String, Codable { case empty = "", full }
    struct Words: Codable, Equatable {
        var word: Word?
        var text: String?
        var list: [String]?
    }

    @Test("A value in an optional that is one empty text is refused, as an empty control is nil")
    func emptyTexts() throws {
        for dialect in [URLEncodedDialect.php, .rails, .whatwg] {
            #expect(throws: EncodingError.self) { try dialect.encode(Words(word: .empty)) }
            let text = try dialect.encode(Words(word: .full, text: ""))
            #expect(try dialect.decode(Words.self, from: text) == Words(word: .full, text: ""))
            #expect(try dialect.decode(Words.self, from: "word=&text=") == Words(text: ""))
        }
        var repeated = URLEncodedDialect.whatwg
        repeated.flattening.arrays = .repeated
        #expect(throws: EncodingError.self) { try repeated.encode(Words(list: [""])) }
        #expect(try repeated.encode(Words(list: ["a", ""])) == "list=a&list=")
    }
}
