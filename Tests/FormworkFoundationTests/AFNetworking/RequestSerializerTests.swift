import Foundation
import FormworkFoundation
@testable import FormworkMigration
import FoundationNetworking
import Synchronization
import Testing

@Suite("Request serializers", .timeLimit(.minutes(10)))
struct RequestSerializerTests {
    private static func serializer(_ version: AFNetworkingVersion = .latest) -> HTTPRequestSerializer {
        HTTPRequestSerializer(settings: RequestSettings(version: version, headers: [:]))
    }

    private static func body(_ request: URLRequest) -> String? {
        request.httpBody.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("Properties are the request's own until they are set")
    func properties() throws {
        var serializer = Self.serializer()
        #expect(try serializer.request(method: "GET", url: "http://a.b/").timeoutInterval == 60)
        serializer.timeoutInterval = 7
        serializer.allowsCellularAccess = false
        serializer.cachePolicy = .reloadIgnoringLocalCacheData
        serializer.httpShouldHandleCookies = false
        serializer.httpShouldUsePipelining = true
        serializer.networkServiceType = .background
        let request = try serializer.request(method: "PUT", url: "http://a.b/")
        #expect(request.timeoutInterval == 7)
        #expect(!request.allowsCellularAccess)
        #expect(request.cachePolicy == .reloadIgnoringLocalCacheData)
        #expect(!request.httpShouldHandleCookies)
        #expect(request.networkServiceType == .background)
        #expect(request.httpMethod == "PUT")
        serializer.timeoutInterval = nil
        #expect(try serializer.request(method: "GET", url: "http://a.b/").timeoutInterval == 60)
    }

    @Test("Default fields: the user's languages and the program's name, which a request's own go before")
    func defaults() throws {
        let serializer = HTTPRequestSerializer()
        let request = try serializer.request(method: "GET", url: "http://a.b/")
        #expect(request.value(forHTTPHeaderField: "Accept-Language")?.contains(";q=1") == true)
        #expect(request.value(forHTTPHeaderField: "User-Agent")?.utf8.allSatisfy { $0 < 0x80 } == true)
        var own = URLRequest(url: try #require(URL(string: "http://a.b/")))
        own.setValue("mine", forHTTPHeaderField: "user-agent")
        #expect(try serializer.serialize(own, parameters: nil).value(forHTTPHeaderField: "User-Agent") == "mine")
    }

    // The order is what NSString's compare: gives, on Linux too: by scalars, letters taken apart from their accents.
    @Test("Names and the texts of sets come in the order of NSString's compare:, before 2.2 whatever their case")
    func order() throws {
        let names = ["ß", "f", "é", "Zürich", "z", "a", "Évry", "游", "가", "B", "E\u{301}t"]
        let object = ParameterValue.object(names.map { .init($0, 1) } + [.init("n", .set(names.map { .text($0) }))])
        for compatibility in [Compatibility.safe, .exact] {
            var settings = RequestSettings(compatibility: compatibility, headers: [:])
            let pairs = try settings.dialect.pairs(of: object)
            #expect(
                pairs.filter { $0.name != "n" }.map(\.name)
                    == ["B", "E\u{301}t", "Évry", "Zürich", "a", "é", "f", "z", "ß", "가", "游"])
            #expect(
                pairs.filter { $0.name == "n" }.map(\.value)
                    == ["B", "E\u{301}t", "Évry", "Zürich", "a", "é", "f", "z", "ß", "가", "游"])
            settings.version = "2.1"
            #expect(
                try settings.dialect.pairs(of: ["b": 1, "Évry": 1, "C": 1, "A": 1, "f": 1, "_": 1]).map(\.name)
                    == ["_", "A", "b", "C", "Évry", "f"])
            let request = try HTTPRequestSerializer(settings: RequestSettings(headers: [:]))
                .request(method: "POST", url: "http://a.b", object: ["Zürich": 1, "Évry": 2])
            #expect(Self.body(request) == "%C3%89vry=2&Z%C3%BCrich=1")
        }
    }

    @Test("Settings and serializers come back as they were written")
    func archives() throws {
        var settings = RequestSettings(version: "2.5.4", compatibility: .exact, headers: ["X-B": "1", "x-a": "2"])
        settings.setAuthorization(username: "user", password: "secret")
        settings.stringEncoding = .gb18030
        settings.mediaTypes = ["own": "a/b"]
        settings.methodsEncodingParametersInURL = ["GET"]
        settings.allowsCellularAccess = false
        settings.cachePolicy = .reloadIgnoringLocalCacheData
        settings.httpShouldHandleCookies = false
        settings.httpShouldUsePipelining = true
        settings.networkServiceType = .background
        settings.timeoutInterval = 7.5
        func copy<Value: Codable>(_ value: Value) throws -> Value {
            try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
        }
        func check(_ copy: RequestSettings) {
            #expect(copy.version == "2.5.4" && copy.compatibility == .exact && copy.headers == settings.headers)
            #expect(copy.headers.map(\.name) == ["X-B", "x-a", "Authorization"])
            #expect(copy.stringEncoding == .gb18030 && copy.mediaTypes == ["own": "a/b"])
            #expect(copy.methodsEncodingParametersInURL == ["GET"] && copy.allowsCellularAccess == false)
            #expect(copy.cachePolicy == .reloadIgnoringLocalCacheData && copy.httpShouldHandleCookies == false)
            #expect(copy.httpShouldUsePipelining == true && copy.networkServiceType == .background)
            #expect(copy.timeoutInterval == 7.5)
        }
        check(try copy(settings))
        check(try copy(HTTPRequestSerializer(settings: settings)).settings)
        let json = try copy(
            JSONRequestSerializer(settings: settings, writingOptions: [.prettyPrinted, .fragmentsAllowed]))
        check(json.settings)
        #expect(json.writingOptions == [.prettyPrinted, .fragmentsAllowed])
        let list = try copy(PropertyListRequestSerializer(settings: settings, format: .binary, writeOptions: 3))
        check(list.settings)
        #expect(list.format == .binary && list.writeOptions == 3)

        let plain = try copy(RequestSettings(headers: [:]))
        #expect(plain.version == .latest && plain.compatibility == .safe && plain.headers.isEmpty)
        #expect(plain.cachePolicy == nil && plain.timeoutInterval == nil && plain.allowsCellularAccess == nil)
        let empty = try JSONDecoder().decode(RequestSettings.self, from: Data("{}".utf8))
        #expect(empty.headers == .afnetworking(.latest) && empty.mediaTypes["cer"] != nil)
        #expect(empty.methodsEncodingParametersInURL == ["GET", "HEAD", "DELETE"] && empty.stringEncoding == .utf8)
    }

    @Test("An archive that isn't understood, and a closure that can't be written, are errors")
    func archiveFailures() throws {
        for text in [
            "{\"version\": \"two\"}", "{\"compatibility\": \"loose\"}", "{\"cachePolicy\": 99}",
            "{\"networkServiceType\": 99}", "{\"headers\": {}}", "[]",
        ] {
            #expect(throws: DecodingError.self, "\(text)") {
                try JSONDecoder().decode(RequestSettings.self, from: Data(text.utf8))
            }
        }
        var serializer = Self.serializer()
        serializer.querySerialization = { _, _ in "q" }
        let error = #expect(throws: EncodingError.self) { try JSONEncoder().encode(serializer) }
        guard case .invalidValue(_, let context)? = error else { return }
        #expect(context.codingPath.map(\.stringValue) == ["settings"])
        #expect(context.debugDescription.hasPrefix("querySerialization is a closure"))
        serializer.settings.compatibility = .exact
        let copy = try JSONDecoder().decode(HTTPRequestSerializer.self, from: JSONEncoder().encode(serializer))
        #expect(copy.querySerialization == nil && copy.compatibility == .exact)
    }

    @Test("Bearer and token authorization")
    func authorization() throws {
        var serializer = Self.serializer()
        serializer.settings.setAuthorization(bearerToken: "abc")
        #expect(serializer.settings.value(forHTTPHeaderField: "authorization") == "Bearer abc")
        serializer.settings.setAuthorization(token: "abc")
        #expect(serializer.settings.value(forHTTPHeaderField: "Authorization") == "Token token=\"abc\"")
        serializer.settings.clearAuthorization()
        #expect(serializer.headers.isEmpty)
    }

    @Test("Without parameters a form is empty since 2.6.1, and JSON is none")
    func nothing() throws {
        let new = try Self.serializer().request(method: "POST", url: "http://a.b/")
        #expect(Self.body(new) == "")
        #expect(new.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
        let old = try Self.serializer("2.6.0").request(method: "POST", url: "http://a.b/")
        #expect(old.httpBody == nil)
        #expect(old.value(forHTTPHeaderField: "Content-Type") == nil)
        let json = try JSONRequestSerializer().request(method: "POST", url: "http://a.b/")
        #expect(json.httpBody == nil)
        #expect(json.value(forHTTPHeaderField: "Content-Type") == nil)
        let absent = try Self.serializer().request(
            method: "GET", url: "http://a.b/", object: String??.some(.none) as Any)
        #expect(absent.url?.absoluteString == "http://a.b/")
    }

    @Test(
        "An empty query leaves a question mark before 3.1.0",
        arguments: [
            ("3.0.4", "http://a.b/?"), ("3.1.0", "http://a.b/"),
        ] as [(AFNetworkingVersion, String)])
    func emptyQuery(version: AFNetworkingVersion, url: String) throws {
        let request = try Self.serializer(version).request(method: "GET", url: "http://a.b/", parameters: [:])
        #expect(request.url?.absoluteString == url)
    }

    @Test(
        "A type that is there stays since 2.2.3",
        arguments: [
            ("2.2.2", "application/x-www-form-urlencoded; charset=utf-8"), ("2.2.3", "own"),
        ] as [(AFNetworkingVersion, String)])
    func contentType(version: AFNetworkingVersion, type: String) throws {
        var own = URLRequest(url: try #require(URL(string: "http://a.b/")))
        own.httpMethod = "POST"
        own.setValue("own", forHTTPHeaderField: "Content-Type")
        let request = try Self.serializer(version).serialize(own, parameters: ["a": 1])
        #expect(request.value(forHTTPHeaderField: "Content-Type") == type)
    }

    @Test("Methods whose parameters go into the URL can be chosen")
    func methods() throws {
        var serializer = Self.serializer()
        serializer.methodsEncodingParametersInURL.remove("DELETE")
        let request = try serializer.request(method: "DELETE", url: "http://a.b/?x", parameters: ["a": 1])
        #expect(request.url?.absoluteString == "http://a.b/?x")
        #expect(Self.body(request) == "a=1")
        serializer.methodsEncodingParametersInURL.insert("POST")
        let post = try serializer.request(method: "post", url: "http://a.b/?x", parameters: ["a": 1])
        #expect(post.url?.absoluteString == "http://a.b/?x&a=1")
    }

    @Test(
        "A URL is escaped once, whatever stands in its query: Foundation escapes all of it again for a bracket",
        arguments: [
            ("1.0", "http://a.b/p?x=%20y&k%5B%5D=a%20b&k%5B%5D='%25"),
            ("2.5.4", "http://a.b/p?x=%20y&k%5B%5D=a%20b&k%5B%5D=%27%25"),
            ("4.0.1", "http://a.b/p?x=%20y&k%5B%5D=a%20b&k%5B%5D=%27%25"),
        ] as [(AFNetworkingVersion, String)])
    func brackets(version: AFNetworkingVersion, url: String) throws {
        let request = try Self.serializer(version)
            .request(method: "GET", url: "http://a.b/p?x=%20y", parameters: ["k": ["a b", "'%"]])
        #expect(request.url?.absoluteString == url)
    }

    @Test("A query of the caller's own is mended where a URL can't hold it, and refused where it can't be mended")
    func ownQuery() throws {
        var serializer = Self.serializer()
        serializer.querySerialization = { _, _ in "a b=[é#]&c=%20" }
        let request = try serializer.request(method: "GET", url: "http://a.b/#f", parameters: [:])
        #expect(request.url?.absoluteString == "http://a.b/?a%20b=%5B%C3%A9%23%5D&c=%20#f")
        serializer.querySerialization = { _, _ in "a=%20&b=100%" }
        #expect(throws: AFError.self) { try serializer.request(method: "GET", url: "http://a.b/", parameters: [:]) }
    }

    @Test("The same goes for Alamofire's encoder, where a set of characters leaves brackets alone")
    func allowedBrackets() throws {
        var request = URLRequest(url: try #require(URL(string: "http://a.b/?x=%20")))
        let allowed = { (characters: String) in
            URLEncodedFormParameterEncoder(
                encoder: URLEncodedFormEncoder(allowedCharacters: CharacterSet(charactersIn: characters)),
                destination: .queryString)
        }
        request = try allowed("[]abck").encode(["k": ["a b%"]], into: request)
        #expect(request.url?.absoluteString == "http://a.b/?x=%20&k%5B%5D=a%20b%25")
        // A name or value with a raw "%" couldn't be read back: it is escaped whatever the set says.
        request = try allowed("k%").encode(["k": "%"], into: URLRequest(url: try #require(URL(string: "http://a.b/"))))
        #expect(request.url?.absoluteString == "http://a.b/?k=%25")
    }

    @Test("A thousand writers of header fields at once")
    func concurrency() {
        let shared = Mutex(Self.serializer())
        let kept = Self.serializer()
        DispatchQueue.concurrentPerform(iterations: 1000) { index in
            shared.withLock { $0.settings.setValue("\(index)", forHTTPHeaderField: "X-\(index % 100)") }
            // A copy is its writer's own.
            var copy = kept
            copy.settings.setValue("\(index)", forHTTPHeaderField: "X")
            #expect(copy.settings.value(forHTTPHeaderField: "x") == "\(index)")
        }
        #expect(shared.withLock { $0.headers.count } == 100)
        #expect(kept.headers.isEmpty)
    }

    @Test("A body is in the serializer's encoding, and text it doesn't have is refused")
    func encoding() throws {
        var serializer = Self.serializer("2.3")
        serializer.stringEncoding = .isoLatin1
        let request = try serializer.request(method: "POST", url: "http://a.b/", parameters: ["a": "ä"])
        #expect(Self.body(request) == "a=%E4")
        #expect(
            request.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded; charset=iso-8859-1"
        )
        serializer.querySerialization = { _, _ in "汉" }
        #expect(throws: FormworkError.self) {
            try serializer.request(method: "POST", url: "http://a.b/", parameters: [:])
        }
    }

    @Test("JSON takes dates, sets and fragments for what they are: refused, unless fragments are allowed")
    func json() throws {
        var serializer = JSONRequestSerializer(settings: RequestSettings(headers: [:]))
        func nested(_ levels: Int, _ value: Any) -> Any { (0..<levels).reduce(value) { value, _ in ["a": value] } }
        func path(_ levels: Int) -> String { Array(repeating: "a", count: levels).joined(separator: ".") }
        let refused: [(Any, String)] = [
            (["a": [1, ["b": Date()]]] as [String: Any], "a[1].b is of type Date, which JSON can't hold"),
            (Set(["a"]), "the value is of type Set<String>, which JSON can't hold"),
            ("text", "the value is a single String: give an array or a dictionary, or allow fragments"),
            (["b": Data(), "a": Double.nan] as [String: Any], "a is nan, which isn't a number in JSON"),
            ([1: "a"], "the value is of type Dictionary<Int, String>, which JSON can't hold"),
            // Each level is looked at once.
            (nested(100, Date()), "\(path(100)) is of type Date, which JSON can't hold"),
            (nested(512, 1), "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.… nests deeper than 511 levels"),
        ]
        for (object, detail) in refused {
            let error = #expect(throws: RequestSerializationError.self) {
                try serializer.request(method: "POST", url: "http://a.b/", object: object)
            }
            #expect(error?.code == .cannotDecodeContentData)
            #expect(error?.request?.url?.host == "a.b")
            #expect(error?.failureReason == "The `parameters` argument is not valid JSON.")
            #expect(error?.errorDescription == "The `parameters` argument is not valid JSON. (\(detail))")
        }
        serializer.writingOptions = [.fragmentsAllowed, .withoutEscapingSlashes]
        let text = try serializer.request(method: "POST", url: "http://a.b/", parameters: "a/b")
        #expect(Self.body(text) == "\"a/b\"")
        let tree = try serializer.request(
            method: "POST", url: "http://a.b/", parameters: ["b": [1, nil, true], "a": 0.5])
        #expect(Self.body(tree) == #"{"a":0.5,"b":[1,null,true]}"#)
        serializer.version = "2.4.1"
        let old = try serializer.request(method: "POST", url: "http://a.b/", parameters: [])
        #expect(old.value(forHTTPHeaderField: "Content-Type") == "application/json; charset=utf-8")
    }

    @Test("A property list in binary holds dates and data")
    func propertyList() throws {
        let serializer = PropertyListRequestSerializer(settings: RequestSettings(headers: [:]), format: .binary)
        let object: [String: Any] = ["d": Date(timeIntervalSinceReferenceDate: 5), "b": Data([1])]
        let body = try #require(try serializer.request(method: "POST", url: "http://a.b/", object: object).httpBody)
        #expect(body.starts(with: Data("bplist00".utf8)))
        let list = try PropertyListSerialization.propertyList(from: body, format: nil) as? [String: Any]
        #expect(list?["d"] as? Date == Date(timeIntervalSinceReferenceDate: 5))
        #expect(throws: (any Error).self) {
            try serializer.request(method: "POST", url: "http://a.b/", parameters: ["a": nil])
        }
    }

    @Test("What a property list can't hold was left out with the whole body before 3.2.0", arguments: ["3.1", "3.2"])
    func brokenPropertyList(version: AFNetworkingVersion) throws {
        for compatibility in [Compatibility.safe, .exact] {
            let serializer = PropertyListRequestSerializer(
                settings: RequestSettings(version: version, compatibility: compatibility, headers: [:]))
            let make = { try serializer.request(method: "POST", url: "http://a.b/", object: [1: "a"]) }
            guard compatibility == .exact, version < "3.2" else {
                #expect(throws: (any Error).self) { try make() }
                continue
            }
            let request = try make()
            #expect(request.httpBody == nil)
            #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-plist")
        }
    }

    @Test("Languages before 1.2, and programs whose name is not ASCII")
    func headers() {
        #expect(HTTPHeader.afnetworkingAcceptLanguage(["de", "fr"], version: "1.1").value == "de, fr, en-us;q=0.8")
        func agent(_ version: AFNetworkingVersion) -> String {
            HTTPHeader.afnetworkingUserAgent(
                executable: "Москва 北京", shortVersion: "1.2", bundleVersion: "34",
                system: "iPad; tvOS 9.1; Scale/1.00", version: version
            ).value
        }
        #expect(agent(.latest) == "Moskva bei jing/1.2 (iPad; tvOS 9.1; Scale/1.00)")
        #expect(agent("2.4.1") == "Moskva bei jing/34 (iPad; tvOS 9.1; Scale/1.00)")
    }

    @Test("Versions are compared by number")
    func versions() {
        #expect("2.10" as AFNetworkingVersion > "2.9.1")
        for text in ["1.0RC1", "1.2.3.4", "", "1."] { #expect(AFNetworkingVersion(text) == nil) }
        #expect(("2" as AFNetworkingVersion).description == "2.0.0")
        #expect(AFNetworkingVersion.latest == "4.0.1")
    }

    @Test("A name that occurs twice is an error in every body; AFNetworking writes the last value")
    func duplicateNames() throws {
        var request = URLRequest(url: try #require(URL(string: "http://h/")))
        request.httpMethod = "POST"
        let tree: ParameterValue = ["o": [["a": 1, "a": 2]]]
        let keys: [AnyHashable: Any] = [AnyHashable(1): "int", AnyHashable("1"): "text"]
        func bodies(_ compatibility: Compatibility) -> [(Any, any RequestSerializer)] {
            let settings = RequestSettings(compatibility: compatibility, headers: [:])
            return [
                (tree, HTTPRequestSerializer(settings: settings)), (keys, HTTPRequestSerializer(settings: settings)),
                (tree, JSONRequestSerializer(settings: settings)),
                (tree, PropertyListRequestSerializer(settings: settings)),
            ]
        }
        for (object, serializer) in bodies(.safe) {
            let error = #expect(throws: FormworkError.self) { try serializer.serialize(request, object: object) }
            #expect(error?.message.hasSuffix("occurs more than once") == true)
        }
        let exact = try bodies(.exact).map { object, serializer in
            String(decoding: try serializer.serialize(request, object: object).httpBody ?? Data(), as: UTF8.self)
        }
        #expect(exact.prefix(3) == ["o%5B%5D%5Ba%5D=2", "1=text", #"{"o":[{"a":2}]}"#])
        #expect(exact[3].contains("<integer>2</integer>") && !exact[3].contains("<integer>1</integer>"))
        #expect(throws: FormworkError.self) {
            try URLRequest(url: URL(fileURLWithPath: "/"), formParameters: ["a": 1, "a": 2])
        }
    }

    private static let lostInLists: [(value: any Sendable, isLostInBinary: Bool, message: String)] = [
        (NSNull(), true, "o.a[1] is of type NSNull, which a property list can't hold"),
        ([1: "a"], true, "o.a[1] is of type Dictionary<Int, String>, which a property list can't hold"),
        ("x\u{1}y", false, "o.a[1] is text with the character U+0001, which XML can't contain: remove it"),
        ("x\0y", false, "o.a[1] is text with the character U+0000, which XML can't contain: remove it"),
        (-0.0, false, "o.a[1] is -0.0, whose sign is lost in XML: write 0"),
        (Float(-0.0), false, "o.a[1] is -0.0, whose sign is lost in XML: write 0"),
        (
            Decimal(string: "123456789012345678") ?? 0, true,
            "o.a[1] is 123456789012345678, which would be written as 1.2345678901234568e+17: write it as text"
        ),
        (
            Decimal(string: "18446744073709551617") ?? 0, true,
            "o.a[1] is 18446744073709551617, which would be written as 1.8446744073709552e+19: write it as text"
        ),
        (
            Date(timeIntervalSinceReferenceDate: .infinity), false,
            "o.a[1] is a date that XML lists have no text for: their years have four digits"
        ),
        (
            Date(timeIntervalSinceReferenceDate: 252_423_993_600), false,
            "o.a[1] is a date that XML lists have no text for: their years have four digits"
        ),
    ]

    @Test("What a property list would hold as another value is an error with its path", arguments: lostInLists.indices)
    func lossyPropertyList(index: Int) throws {
        let (value, isLostInBinary, message) = Self.lostInLists[index]
        let elements: [any Sendable] = [1, value]
        let object: [String: any Sendable] = ["o": ["a": elements]]
        let request = try URLRequest(url: "http://h/", method: .post)
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let safe = PropertyListRequestSerializer(settings: RequestSettings(headers: [:]), format: format)
            let encoding = PropertyListEncoding(format: format)
            var exact = safe
            exact.settings.compatibility = .exact
            if index > 1 { #expect(try exact.serialize(request, object: object).httpBody != nil) }
            guard format == .xml || isLostInBinary else {
                #expect(try safe.serialize(request, object: object).httpBody != nil)
                #expect(try encoding.encode(request, with: object).httpBody != nil)
                continue
            }
            let error = #expect(throws: FormworkError.self) { try safe.serialize(request, object: object) }
            #expect(error?.message == message)
            let other = #expect(throws: AFError.self) { try encoding.encode(request, with: object) }
            #expect((other?.underlyingError as? FormworkError)?.message == message)
        }
    }

    @Test("Carriage returns are escaped in XML, whose readers would take them for line feeds")
    func carriageReturnsInLists() throws {
        let object = ["k\r\n": "a\r\nb\rc", "k\n": "d"]
        let request = try URLRequest(url: "http://h/", method: .post)
        var serializer = PropertyListRequestSerializer(settings: RequestSettings(headers: [:]))
        for body in [
            try serializer.serialize(request, object: object).httpBody,
            try PropertyListEncoding.xml.encode(request, with: object).httpBody,
        ] {
            let body = try #require(body)
            let text = String(decoding: body, as: UTF8.self)
            #expect(text.contains("<key>k&#13;\n</key>") && text.contains("<string>a&#13;\nb&#13;c</string>"))
            #expect(!body.contains(0x0D))
            #expect(try PropertyListSerialization.propertyList(from: body, format: nil) as? [String: String] == object)
        }
        serializer.settings.compatibility = .exact
        let exact = try #require(try serializer.serialize(request, object: object).httpBody)
        #expect(String(decoding: exact, as: UTF8.self).contains("<string>a\r\nb\rc</string>"))
        serializer = PropertyListRequestSerializer(settings: RequestSettings(headers: [:]), format: .binary)
        let binary = try #require(try serializer.serialize(request, object: object).httpBody)
        #expect(try PropertyListSerialization.propertyList(from: binary, format: nil) as? [String: String] == object)
    }

    @Test("A property list of more than 512 levels is an error with its path")
    func deepPropertyList() throws {
        func nested(_ levels: Int) -> [String: any Sendable] {
            (1..<levels).reduce(into: ["a": 1]) { value, _ in value = ["a": value] }
        }
        let request = try URLRequest(url: "http://h/", method: .post)
        let serializer = PropertyListRequestSerializer(settings: RequestSettings(headers: [:]))
        #expect(try serializer.serialize(request, object: nested(512)).httpBody != nil)
        #expect(try PropertyListEncoding.xml.encode(request, with: nested(512)).httpBody != nil)
        let error = #expect(throws: FormworkError.self) { try serializer.serialize(request, object: nested(513)) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.message == "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.… nests deeper than 512 levels")
        let other = #expect(throws: AFError.self) { try PropertyListEncoding.xml.encode(request, with: nested(513)) }
        #expect((other?.underlyingError as? FormworkError)?.code == .limitExceeded)
    }

    @Test("A property list keeps what has a text")
    func keptInLists() throws {
        let object: [String: Any] = [
            "a": [0.1, Float(0.1), UInt64.max, Int64.min, -1.5, 0.0, Decimal(string: "0.1") ?? 0, true],
            "t": "a\t\r\n\u{301}\u{7F}", "d": Date(timeIntervalSinceReferenceDate: -5),
            "p": Date.distantPast, "l": Date(timeIntervalSinceReferenceDate: 252_423_993_599.5),
        ]
        let request = try URLRequest(url: "http://h/", method: .post)
        let serializer = PropertyListRequestSerializer(settings: RequestSettings(headers: [:]))
        #expect(try serializer.serialize(request, object: object).httpBody != nil)
        let large: ParameterValue = ["n": .integer(18_446_744_073_709_551_617)]
        #expect(throws: FormworkError.self) { try serializer.serialize(request, object: large) }
        let names: [String: Any] = ["a": ["b\u{1}": 1]]
        let error = #expect(throws: FormworkError.self) { try serializer.serialize(request, object: names) }
        #expect(error?.message == #"a.b\u{01} is text with the character U+0001, which XML can't contain: remove it"#)
    }
}
