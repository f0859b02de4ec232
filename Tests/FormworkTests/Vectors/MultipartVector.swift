import Formwork
import Foundation
import SystemPackage
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
    }

    var system = ""
    var boundary: String?
    var writesToDisk = false
    var readMaxLength: Int?
    var rateLimit: RateLimit?
    /// The bytes of parts are given as streams, which may be read short.
    var hasStreams = false
    /// A URL of a part that can't be written down as a file's path.
    var foreignURL: String?
    var parts: [BodyPart] = []
    var expected = Expected()

    /// - Parameter folder: Where files are made that parts ask for.
    init(_ row: VectorRow, in folder: TemporaryFolder) throws {
        var object = try VectorObject(row.json, "the row")
        for key in ["name", "versions", "origin", "note", "platform", "verifiedByRun"] { _ = object.value(key) }
        self.system = try object.string("system") ?? ""
        guard Self.systems.contains(self.system) else { throw NotUnderstood("the system \"\(self.system)\"") }
        self.expected = try Expected(&object)
        try self.takeOptions(object.value("options"))
        for value in try object.array("input") ?? [] { try self.takePart(value, folder) }
        try object.checkAllTaken()
        guard (self.system == Self.constants) == (self.boundary == nil) else { throw NotUnderstood("no boundary") }
        guard self.expected.readSizes == nil || self.readMaxLength != nil else {
            throw NotUnderstood("expectedReadSizes without readMaxLength")
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
        if let packet = try options.integer("numberOfBytesInPacket") {
            guard packet >= 1 else { throw NotUnderstood("a packet of \(packet) bytes") }
            self.rateLimit = RateLimit(packet: packet, delay: .seconds(try options.number("delay") ?? 0))
        }
        // How a file is copied is the writer's own business: this option changes nothing.
        if self.system == Self.writeToFile { _ = try options.integer("bufferSize") }
        guard try options.flag("requiresMultipartDataFormat") ?? true else {
            throw NotUnderstood("a Facebook body that is JSON")
        }
        try options.checkAllTaken()
    }

    private mutating func takePart(_ value: JSONValue, _ folder: TemporaryFolder) throws {
        var part = try VectorObject(value, "a part")
        let kind = try part.string("kind") ?? "none"
        if kind == "url" {
            try self.takeURL(&part)
        } else {
            guard let bytes = try part.bytes("utf8", "base64") else { throw NotUnderstood("a part without bytes") }
            let source: BodySource
            switch kind {
            case "data", "headers": source = .bytes(bytes)
            case "file": source = .file(try folder.file("part \(self.parts.count)", bytes))
            case "stream":
                self.hasStreams = true
                let length = try part.integer("declaredLength") ?? bytes.count
                source = .stream(length: Int64(length), surplus: self.writesToDisk ? .leave : .refuse) { offset in
                    DripStream(bytes, from: Int(offset), step: 1000)
                }
            default: throw NotUnderstood("the kind of part \"\(kind)\"")
            }
            self.parts.append(BodyPart(header: try Self.header(&part), source: source))
        }
        try part.checkAllTaken()
    }

    private mutating func takeURL(_ part: inout VectorObject) throws {
        let text = try part.string("url") ?? ""
        let name = try part.string("name") ?? ""
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
            guard name != nil else { throw NotUnderstood("a part with neither name nor headers") }
            return PartHeader(name: name, filename: filename, contentType: type)
        }
        guard name == nil, filename == nil, type == nil else { throw NotUnderstood("a part with name and headers") }
        return PartHeader(disposition: nil, fields: try fields.map(Self.field))
    }

    private static func field(_ value: JSONValue) throws -> HeaderField {
        guard case .array(let pair) = value, pair.count == 2, case .string(let name) = pair[0],
            case .string(let text) = pair[1]
        else { throw NotUnderstood("a header that is no pair of texts") }
        return try HeaderField(name, text)
    }
}

extension MultipartVector.Expected {
    init(_ row: inout VectorObject) throws {
        let body = try row.bytes("expected", "expectedBase64")
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
            guard case .object(let fields) = constants else { throw NotUnderstood("constants that are no object") }
            self.constants = fields
        }
        if let request = row.value("expectedRequest") {
            var request = try VectorObject(request, "the request")
            guard request.value("bodyStream") == .null else { throw NotUnderstood("a request with a body") }
            _ = request.value("note")
            try request.checkAllTaken()
            self.isEmptyRequest = true
        }
        guard
            self.body != nil || self.length != nil || self.total != nil || self.contentType != nil
                || self.readSizes != nil || self.error != nil || self.constants != nil || self.isEmptyRequest
        else { throw NotUnderstood("nothing is expected") }
    }

    /// `[7, 7, 1]`, or `count` times `full` and then `last`.
    private static func sizes(_ value: JSONValue) throws -> [Int] {
        if case .array(let values) = value {
            return try values.map { value in
                guard case .number(let number) = value, let size = Int(exactly: number) else {
                    throw NotUnderstood("a read size that is no integer")
                }
                return size
            }
        }
        var run = try VectorObject(value, "the read sizes")
        guard let full = try run.integer("full"), let count = try run.integer("count") else {
            throw NotUnderstood("read sizes without full and count")
        }
        let last = try run.integer("last").map { $0 > 0 ? [$0] : [] } ?? []
        try run.checkAllTaken()
        return Array(repeating: full, count: count) + last
    }
}
