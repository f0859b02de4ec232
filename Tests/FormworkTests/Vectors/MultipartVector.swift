@testable import FormworkCore
import Formwork
import Foundation
import TestSupport

/// A row in the words of this package: a form, how it is to be read, and what has to come out.
struct MultipartVector {
    /// A system's framing where it isn't RFC 7578's.
    struct System {
        var ending = MultipartFraming.Ending.closeDelimiter
        var emptyForm = MultipartFraming.EmptyForm.nothing
    }

    static let constants = "afnetworking.multipart.constants"
    static let writeToFile = "afnetworking.multipart.writeToFile"
    private static let forms: [String: System] = [
        "alamofire.MultipartFormData": System(),
        "afnetworking.multipart": System(),
        "afnetworking.multipart.stream": System(),
        "afnetworking.multipart.contentLength": System(),
        "afnetworking.multipart.copy": System(),
        writeToFile: System(),
        "fbsdk.GraphRequestBody": System(ending: .delimiter),
        "prp.PRPMultipartPOSTRequest": System(emptyForm: .closeDelimiter),
    ]
    static let systems = Set(forms.keys).union([constants])

    /// What has to come out; each is `nil` where the row doesn't say.
    struct Expected {
        var body: [UInt8]?
        var length: Int?
        var total: Int?
        var contentType: String?
        var readSizes: [Int]?
        var error: String?
        var constants: [String: JSONValue]?
        var isEmptyRequest = false
        var breakdown: Breakdown?
    }

    /// How many bytes each piece of a body has; each is `nil` where the row doesn't say.
    struct Breakdown {
        var initialBoundary: Int?
        var headers: [Int]?
        var bodies: [Int]?
        var encapsulationBoundary: Int?
        var finalBoundary: Int?
    }

    var system = ""
    var boundary: String?
    var writesToDisk = false
    var readMaxLength: Int?
    var rateLimit: RateLimit?
    /// Nothing is read: the stream is closed before.
    var closesBeforeRead = false
    /// Bytes read from a first reader, before the one whose bytes count is made.
    var readFirst = 0
    /// The form is a Facebook body of texts alone, which is JSON: `FacebookVectorsTests` runs it.
    var isJSON = false
    /// A stream gives fewer bytes than it declares, an error here wherever the body goes.
    var hasShortStream = false
    /// The form is encoded twice, and what is expected is the second time's.
    var isEncodedTwice = false
    /// How many bytes each part's content has.
    var contents: [Int] = []
    /// The bytes of parts are given as streams, which may be read short.
    var hasStreams = false
    /// A URL of a part that can't be written down as a file's path.
    var foreignURL: String?
    var parts: [BodyPart] = []
    var expected = Expected()

    /// All rows of a file that is named as ours are; of another, those of systems that are understood.
    static func isTaken(_ row: VectorRow) -> Bool {
        row.file.hasPrefix("multipart-framing") || row.file.hasPrefix("multipart-stream")
            || Self.systems.contains(row.system ?? "")
    }

    static func rows() throws -> [VectorRow] { try VectorRow.all().filter(self.isTaken) }

    /// - Parameter folder: Where files are made that parts ask for.
    init(_ row: VectorRow, in folder: TemporaryFolder) throws {
        var object = try VectorObject(row.json, "the row")
        for key in ["name", "versions", "origin", "note", "verifiedByRun", "platform"] { _ = object.value(key) }
        try row.checkPlatform()
        self.system = try object.string("system") ?? ""
        guard Self.systems.contains(self.system) else { throw RowNotUnderstood("the system \"\(self.system)\"") }
        self.expected = try Expected(&object)
        try self.takeOptions(object.value("options"))
        for value in try object.array("input") ?? [] { try self.takePart(value, folder) }
        // An image or a file makes it multipart, whatever is asked for.
        if self.parts.contains(where: { $0.header.filename != nil }) { self.isJSON = false }
        try object.checkAllTaken()
        guard (self.system == Self.constants) == (self.boundary == nil) else { throw RowNotUnderstood("no boundary") }
        guard self.expected.readSizes == nil || self.readMaxLength != nil else {
            throw RowNotUnderstood("expectedReadSizes without readMaxLength")
        }
    }

    /// The form that the row's system would send.
    func form() throws -> FormData {
        let system = Self.forms[self.system] ?? System()
        var form = FormData(
            framing: MultipartFraming(
                boundary: try Boundary(self.boundary ?? ""), escaping: .raw, ending: system.ending,
                emptyForm: system.emptyForm, quoting: .never))
        for part in self.parts { form.append(part) }
        return form
    }

    private mutating func takeOptions(_ value: JSONValue?) throws {
        var options = try VectorObject(value, "options")
        self.boundary = try options.string("boundary")
        self.writesToDisk = try options.flag("writeToDisk") ?? (self.system == Self.writeToFile)
        self.readMaxLength = try options.integer("readMaxLength")
        if self.system.hasPrefix("afnetworking.") { try self.takeStreamOptions(&options) }
        if self.system == "alamofire.MultipartFormData" {
            // A plan is read as often as wanted: Alamofire's own interface is what makes a difference.
            self.isEncodedTwice = try options.flag("encodeTwice") ?? false
        }
        if self.system == "fbsdk.GraphRequestBody" {
            self.isJSON = try options.flag("requiresMultipartDataFormat") == false
        }
        try options.checkAllTaken()
    }

    private mutating func takeStreamOptions(_ options: inout VectorObject) throws {
        let packet = try options.integer("numberOfBytesInPacket")
        let delay = try options.number("delay")
        guard packet ?? 1 >= 1, delay ?? 0 >= 0 else { throw RowNotUnderstood("a packet or a delay below its least") }
        if packet != nil || delay != nil {
            self.rateLimit = RateLimit(packet: packet ?? .max, delay: .seconds(delay ?? 0))
        }
        // How a file is copied is the writer's own business: this option changes nothing.
        _ = try options.integer("bufferSize")
        self.closesBeforeRead = try options.flag("closeBeforeRead") ?? false
        self.readFirst = try options.integer("readFirst") ?? 0
        guard self.readFirst >= 0 else { throw RowNotUnderstood("readFirst \(self.readFirst)") }
    }

    private mutating func takePart(_ value: JSONValue, _ folder: TemporaryFolder) throws {
        var part = try VectorObject(value, "a part")
        let kind = try part.string("kind") ?? "none"
        if kind == "url" {
            try self.takeURL(&part)
        } else {
            guard let bytes = try part.bytes("utf8", "base64") else { throw RowNotUnderstood("a part without bytes") }
            let source: BodySource
            switch kind {
            case "data", "headers": source = .bytes(bytes)
            case "file": source = .file(try folder.file("part \(self.parts.count)", bytes))
            case "stream":
                self.hasStreams = true
                let length = try part.integer("declaredLength") ?? bytes.count
                if bytes.count < length { self.hasShortStream = true }
                source = .stream(length: Int64(length), ignoringSurplus: self.writesToDisk) { offset in
                    DripStream(bytes, from: Int(offset), step: 1000)
                }
            default: throw RowNotUnderstood("the kind of part \"\(kind)\"")
            }
            self.contents.append(bytes.count)
            self.parts.append(BodyPart(header: try Self.header(&part), source: source))
        }
        try part.checkAllTaken()
    }

    private mutating func takeURL(_ part: inout VectorObject) throws {
        let text = try part.string("url") ?? ""
        let name = try part.string("name") ?? ""
        if let filename = try part.string("fileName"), let type = try part.string("mimeType"),
            let url = URL(string: text), url.isFileURL
        {
            let header = PartHeader(name: name, filename: filename, contentType: type)
            return self.parts.append(BodyPart(header: header, source: .file(FilePath(url.path))))
        }
        guard let url = URL(string: text), url.isFileURL else {
            self.foreignURL = text
            return
        }
        self.parts.append(BodyPart(name: name, file: FilePath(url.path)))
    }

    private static func header(_ part: inout VectorObject) throws -> PartHeader {
        let name = try part.string("name")
        let filename = try part.string("fileName")
        let type = try part.string("mimeType")
        guard let fields = try part.array("headers") else {
            guard name != nil else { throw RowNotUnderstood("a part with neither name nor headers") }
            return PartHeader(name: name, filename: filename, contentType: type)
        }
        guard name == nil, filename == nil, type == nil else { throw RowNotUnderstood("a part with name and headers") }
        return PartHeader(disposition: nil, fields: try fields.map(Self.field))
    }

    private static func field(_ value: JSONValue) throws -> HeaderField {
        guard case .array(let pair) = value, pair.count == 2, case .string(let name) = pair[0],
            case .string(let text) = pair[1]
        else { throw RowNotUnderstood("a header that is no pair of texts") }
        return try HeaderField(name, text)
    }
}

extension MultipartVector.Expected {
    init(_ row: inout VectorObject) throws {
        let body = try row.bytes("expected", "expectedBase64") ?? row.string("expectedBody").map { Array($0.utf8) }
        let linuxBody = try row.string("expectedLinux").map { Array($0.utf8) }
        self.body = linuxBody ?? body
        self.length = try row.integer("expectedLength")
        self.total = try row.integer("expectedTotal")
        self.contentType = try row.string("expectedContentType")
        self.readSizes = try row.value("expectedReadSizes").map(Self.sizes)
        let error = try row.string("expectedError")
        let appleError = try row.string("expectedErrorApple")
        let linuxError = try row.string("expectedErrorLinux")
        self.error = linuxError ?? error ?? appleError
        if let constants = row.value("expectedConstants") {
            guard case .object(let fields) = constants else { throw RowNotUnderstood("constants that are no object") }
            self.constants = fields
        }
        if let request = row.value("expectedRequest") {
            var request = try VectorObject(request, "the request")
            guard (request.value("bodyStream") ?? request.value("body")) == .null else {
                throw RowNotUnderstood("a request with a body")
            }
            _ = request.value("note")
            try request.checkAllTaken()
            self.isEmptyRequest = true
        }
        self.breakdown = try row.value("breakdown").map(MultipartVector.Breakdown.init)
        guard
            self.breakdown != nil || self.body != nil || self.length != nil || self.total != nil
                || self.contentType != nil
                || self.readSizes != nil || self.error != nil || self.constants != nil || self.isEmptyRequest
        else { throw RowNotUnderstood("nothing is expected") }
    }

    /// `[7, 7, 1]`, or `count` times `full` and then `last`.
    private static func sizes(_ value: JSONValue) throws -> [Int] {
        if case .array(let values) = value {
            return try values.map { value in
                guard let size = value.integer else { throw RowNotUnderstood("a read size that is no integer") }
                return size
            }
        }
        var run = try VectorObject(value, "the read sizes")
        guard let full = try run.integer("full"), let count = try run.integer("count") else {
            throw RowNotUnderstood("read sizes without full and count")
        }
        let last = try run.integer("last").map { $0 > 0 ? [$0] : [] } ?? []
        try run.checkAllTaken()
        return Array(repeating: full, count: count) + last
    }
}

extension MultipartVector.Breakdown {
    init(_ value: JSONValue) throws {
        var object = try VectorObject(value, "the breakdown")
        self.initialBoundary = try object.integer("initialBoundary")
        self.headers = try object.integers("headersEach")
        self.bodies = try object.integers("bodies")
        self.encapsulationBoundary = try object.integer("encapsulationBoundary")
        self.finalBoundary = try object.integer("finalBoundary")
        try object.checkAllTaken()
    }

    /// What differs in a body of these parts.
    /// - Parameter contents: How many bytes each part's content has.
    func differences(_ body: [UInt8], boundary: String, contents: [Int]) -> [String] {
        var (differences, at) = ([String](), 0)
        func compare(_ what: String, _ expected: Int?, _ found: Int) {
            if let expected, expected != found { differences.append("\(what) has \(found) bytes, not \(expected)") }
        }
        func take(_ text: String) -> Int {
            if !body[at...].starts(with: text.utf8) { differences.append("no \(text.debugDescription) at \(at)") }
            at = min(body.count, at + text.utf8.count)
            return text.utf8.count
        }
        var headers: [Int] = []
        for (index, count) in contents.enumerated() {
            let isFirst = index == 0
            let length = take((isFirst ? "" : "\r\n") + "--\(boundary)\r\n")
            compare("a boundary", isFirst ? self.initialBoundary : self.encapsulationBoundary, length)
            let end = body.indices.dropFirst(at).first { body[$0...].starts(with: "\r\n\r\n".utf8) } ?? body.count - 4
            headers.append(end + 4 - at)
            at = min(body.count, end + 4 + count)
        }
        compare("the last boundary", self.finalBoundary, take("\r\n--\(boundary)--\r\n"))
        if at != body.count { differences.append("\(body.count - at) bytes are left") }
        if let expected = self.headers, expected != headers, expected.count != 1 || Set(headers) != Set(expected) {
            differences.append("headers have \(headers) bytes, not \(expected)")
        }
        // One number may be that of all.
        if let expected = self.bodies, expected != contents, expected != [contents.reduce(0, +)],
            expected.count != 1 || Set(contents) != Set(expected)
        {
            differences.append("contents have \(contents) bytes, not \(expected)")
        }
        return differences
    }
}
