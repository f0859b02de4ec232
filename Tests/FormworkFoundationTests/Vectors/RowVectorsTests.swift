import Foundation
import FormworkFoundation
import FormworkMigration
import TestSupport
import Testing

/// The rows themselves: that each is somebody's, and that what isn't understood fails.
@Suite("Vectors: every row is run", .timeLimit(.minutes(10)))
struct RowVectorsTests {
    /// All systems, and who runs them.
    static let systems: Set<String> = [
        // FormworkTests.MultipartVectorsTests
        "afnetworking.multipart", "afnetworking.multipart.stream", "afnetworking.multipart.writeToFile",
        "afnetworking.multipart.contentLength", "afnetworking.multipart.copy", "afnetworking.multipart.constants",
        "fbsdk.GraphRequestBody", "prp.PRPMultipartPOSTRequest",
        // and AlamofireVectorsTests
        "alamofire.MultipartFormData", "alamofire.userAgent", "alamofire.acceptLanguage", "alamofire.acceptEncoding",
        "alamofire.qualityEncoded",
        // ParameterVectorsTests
        "alamofire.escape", "alamofire.URLEncodedFormEncoder", "alamofire.URLEncodedFormEncoder.scenario",
        "alamofire.URLEncodedFormParameterEncoder", "alamofire.URLEncoding", "alamofire.JSONEncoding",
        "alamofire.JSONParameterEncoder", "alamofire.PropertyListEncoding",
        // AFNetworkingVectorsTests
        "afnetworking.query", "afnetworking.request", "afnetworking.json", "afnetworking.plist",
        "afnetworking.userAgent", "afnetworking.acceptLanguage",
        // EscapeVectorsTests
        "afnetworking.escape", "fbsdk.escape", "prp.escape", "whatwg.urlencoded.parse",
        // FacebookVectorsTests, RecipesVectorsTests
        "fbsdk.queryStringWithDictionary", "fbsdk.dictionaryWithQueryString", "fbsdk.URLDecode",
        "prp.setFormParameters", "prp.request",
    ]

    /// - Throws: For a row that no runner takes.
    static func checkSystem(of row: VectorRows.Row) throws {
        // curl's rows have a command line, those of the parser a body: CurlVectorsTests and ParseVectorsTests.
        if row.json["system"] == nil, row.json["args"] != nil || row.json["body_base64"] != nil { return }
        guard let system = row.json["system"] as? String, Self.systems.contains(system) else {
            throw RowNotUnderstood("the system \(row.json["system"] ?? "none")")
        }
    }

    @Test("Every row of every folder is of a system that is run")
    func known() throws {
        for row in try VectorRow.all() {
            #expect(throws: Never.self, "\(row)") { try Self.checkSystem(of: VectorRows.Row(row)) }
        }
    }

    /// What runs a row, when it isn't one of `FormworkTests`.
    private static func run(_ row: VectorRows.Row) throws {
        try self.checkSystem(of: row)
        let system = row.json["system"] as? String ?? ""
        switch system {
        case "alamofire.MultipartFormData": try MultipartRowRun(row).check(.exact)
        case "alamofire.userAgent", "alamofire.acceptLanguage", "alamofire.acceptEncoding", "alamofire.qualityEncoded":
            try AlamofireVectorsTests.checkHeader(row)
        case "afnetworking.query": try AFNetworkingVectorsTests.checkQuery(row)
        case "afnetworking.request": try AFNetworkingVectorsTests.checkRequest(row)
        case "afnetworking.json", "afnetworking.plist": try AFNetworkingVectorsTests.checkStructured(row)
        case "fbsdk.queryStringWithDictionary": try FacebookVectorsTests.checkWrite(row)
        case "fbsdk.dictionaryWithQueryString": try FacebookVectorsTests.checkRead(row)
        case "fbsdk.URLDecode": try FacebookVectorsTests.checkDecode(row)
        case "prp.setFormParameters", "prp.request": try RecipesVectorsTests.check(row)
        case let system where system.hasSuffix(".escape") && !system.hasPrefix("alamofire"):
            try EscapeVectorsTests.checkEscape(row)
        default:
            var run = try ParameterRun(row.row)
            _ = try run.result(.exact)
        }
    }

    static let odd = [
        #"{"system": "x.Multipart", "expected": ""}"#,
        #"{"expected": ""}"#,
        #"{"system": "alamofire.MultipartFormData", "options": {"boundary": "b", "gzip": true}, "input": [], "expected": ""}"#,
        #"{"system": "alamofire.MultipartFormData", "options": {"boundary": "b", "writeToDisk": "yes"}, "input": [], "expected": ""}"#,
        #"{"system": "alamofire.MultipartFormData", "options": {"boundary": "b"}, "input": [{"kind": "tar", "utf8": ""}], "expected": ""}"#,
        #"{"system": "alamofire.MultipartFormData", "options": {"boundary": "b"}, "input": [{"kind": "data", "name": "a", "utf8": "", "charset": "x"}], "expected": ""}"#,
        #"{"system": "alamofire.MultipartFormData", "options": {"boundary": "b"}, "input": [], "expectedHash": ""}"#,
        #"{"system": "alamofire.MultipartFormData", "options": {"boundary": "b"}, "input": []}"#,
        #"{"system": "alamofire.userAgent", "options": {}, "input": {"executable": "a", "colour": "b"}, "expected": ""}"#,
        #"{"system": "alamofire.acceptLanguage", "options": {"script": "x"}, "input": ["a"], "expected": "a;q=1.0"}"#,
        #"{"system": "alamofire.escape", "options": {"role": "name"}, "input": "a", "expected": "a"}"#,
        #"{"system": "alamofire.URLEncoding", "options": {"arrayEncoding": "dots"}, "input": [], "expected": ""}"#,
        #"{"system": "alamofire.URLEncoding", "options": {"boolEncoding": "yes"}, "input": [], "expected": ""}"#,
        #"{"system": "alamofire.PropertyListEncoding", "options": {"format": "openStep"}, "input": [], "expected": ""}"#,
        #"{"system": "alamofire.JSONEncoding", "options": {"outputFormatting": "x"}, "input": [], "expected": ""}"#,
        #"{"system": "afnetworking.query", "options": {"style": "rails"}, "input": [], "expected": ""}"#,
        #"{"system": "afnetworking.query", "options": {"serializer": "a block"}, "input": [], "expected": ""}"#,
        #"{"system": "afnetworking.query", "options": {}, "platform": "vms", "input": [], "expected": ""}"#,
        #"{"system": "afnetworking.query", "options": {}, "versions": "latest", "input": [], "expected": ""}"#,
        #"{"system": "afnetworking.query", "options": {}, "input": {"type": "complex", "value": "1"}, "expected": ""}"#,
        #"{"system": "afnetworking.request", "options": {"request": {"method": "GET", "url": "http://a/", "body": "x"}}, "input": [], "expectedRequest": {"url": "http://a/"}}"#,
        #"{"system": "afnetworking.request", "options": {"request": {"method": "GET", "url": "http://a/"}, "setHeaders": [["a"]]}, "input": [], "expectedRequest": {"url": "http://a/"}}"#,
        #"{"system": "afnetworking.request", "options": {"request": {"method": "GET", "url": "http://a/"}}, "input": [], "expectedRequest": {"cookies": "x"}}"#,
        #"{"system": "afnetworking.json", "options": {"request": {"method": "POST", "url": "http://a/"}, "format": "xml"}, "input": [], "expected": ""}"#,
        #"{"system": "afnetworking.plist", "options": {"request": {"method": "POST", "url": "http://a/"}, "format": "json"}, "input": [], "expected": ""}"#,
        #"{"system": "afnetworking.escape", "options": {"role": "name"}, "input": "a", "expected": "a"}"#,
        #"{"system": "prp.escape", "options": {"space": "tab"}, "input": "a", "expected": "a"}"#,
        #"{"system": "fbsdk.queryStringWithDictionary", "options": {"invalidObjectHandler": "sings"}, "input": [], "expected": ""}"#,
        #"{"system": "fbsdk.URLDecode", "options": {"space": "plus"}, "input": "a", "expected": "a"}"#,
        #"{"system": "prp.setFormParameters", "options": {"boundary": 1}, "input": [], "expected": ""}"#,
        #"{"system": "prp.request", "options": {}, "input": [], "expectedRequest": {"cookies": "x"}}"#,
    ]

    @Test("A row that isn't understood fails: read from a folder, by the runner of its system", arguments: odd)
    func notUnderstood(text: String) throws {
        let folder = Folder()
        _ = try folder.file("odd.json", "[\(text)]")
        let rows = try VectorRow.rows(in: folder.url)
        #expect(rows.count == 1)
        #expect(throws: RowNotUnderstood.self) { try Self.run(VectorRows.Row(rows[0])) }
    }

    @Test("A row that is wrong fails under any name")
    func wrong() throws {
        let row =
            #"{"name": "NAME", "system": "afnetworking.query", "options": {}, "input": {"type": "array", "items": ["x"]}, "#
            + #""expected": "(null)[]=y"}"#
        for name in ["a", "array-as-root/v3"] {
            let folder = Folder()
            _ = try folder.file("wrong.json", "[\(row.replacingOccurrences(of: "NAME", with: name))]")
            let rows = try VectorRow.rows(in: folder.url)
            withKnownIssue { try AFNetworkingVectorsTests.checkQuery(VectorRows.Row(rows[0])) }
        }
    }

    @Test("What departs from a system does so under any name")
    func renamed() throws {
        for row in try VectorRow.rows(in: VectorRow.fixtures) {
            var json = row.json.object ?? [:]
            json["name"] = .string("another name")
            let renamed = VectorRows.Row(VectorRow(file: row.file, name: "another name", json: .object(json)))
            switch row.system {
            case "alamofire.MultipartFormData":
                try MultipartRowRun(renamed).check(.exact)
                try MultipartRowRun(renamed).check(.safe)
            case "afnetworking.query": try AFNetworkingVectorsTests.checkQuery(renamed)
            case "afnetworking.request": try AFNetworkingVectorsTests.checkRequest(renamed)
            case "fbsdk.queryStringWithDictionary": try FacebookVectorsTests.checkWrite(renamed)
            default: break
            }
        }
    }

    @Test("A stream that is closed before it is read gives no bytes")
    func closed() throws {
        var form = FormData(framing: MultipartFraming(boundary: try Boundary("B")))
        form.append(BodyPart(name: "a", value: "1"))
        let stream = try form.plan().makeInputStream()
        stream.open()
        stream.close()
        var buffer = [UInt8](repeating: 0, count: 64)
        #expect(unsafe stream.read(&buffer, maxLength: 64) <= 0)
    }
}
