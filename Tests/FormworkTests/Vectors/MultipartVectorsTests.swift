import Formwork
import Foundation
import TestSupport
import Testing

@Suite("Vectors: multipart bodies of other systems", .timeLimit(.minutes(10)))
struct MultipartVectorsTests {
    @Test("A row comes out as its system has it", arguments: try MultipartVector.rows())
    func row(row: VectorRow) throws {
        let folder = TemporaryFolder()
        let vector: MultipartVector
        do {
            vector = try MultipartVector(row, in: folder)
        } catch let error as RowNotUnderstood {
            Issue.record("\(row.name) is not understood: \(error)")
            return
        }
        guard !vector.isJSON, row.isOfThisPlatform else { return }
        if vector.closesBeforeRead {
            // What such a stream gives is RowVectorsTests'.
            #expect(vector.expected.readSizes?.allSatisfy { $0 <= 0 } ?? true)
            #expect(vector.expected.total ?? 0 == 0 && vector.expected.body ?? [] == [])
            return
        }
        if let constants = vector.expected.constants { return try Self.check(constants, row) }
        switch try Self.outcome(of: vector, row) {
        case .body: try Self.checkBody(vector, row, folder)
        case .planFails(let code):
            let form = try vector.form()
            let error = #expect(throws: FormworkError.self, "\(row.name)") { try form.plan() }
            #expect(error?.code == code, "\(row.name)")
        case .readFails(let code): try Self.checkReadFails(vector, code, row, folder)
        case .inexpressible: #expect(vector.foreignURL != nil, "\(row.name)")
        }
    }

    private static func outcome(of vector: MultipartVector, _ row: VectorRow) throws -> VectorOutcome {
        if vector.hasShortStream { return VectorDeparture.shortStream.outcome }
        if vector.isEncodedTwice { return VectorDeparture.encodedTwice.outcome }
        guard let name = vector.expected.error else {
            #expect(vector.foreignURL == nil, "\(row.name): \(vector.foreignURL ?? "") is not a file's URL")
            return .body
        }
        return try #require(VectorDeparture.errors[name], "\(row.name): the error \(name) is not understood").outcome
    }

    private static func check(_ constants: [String: JSONValue], _ row: VectorRow) throws {
        // The defaults of `MultipartFormBuilder.throttle`, which MultipartRequestTests checks.
        let ours: [String: JSONValue] = [
            "kAFUploadStream3GSuggestedPacketSize": .number(16_384), "kAFUploadStream3GSuggestedDelay": .number(0.2),
        ]
        for (name, value) in constants { #expect(ours[name] == value, "\(row.name): \(name)") }
    }

    private static func checkBody(_ vector: MultipartVector, _ row: VectorRow, _ folder: TemporaryFolder) throws {
        let plan = try vector.form().plan()
        let expected = vector.expected
        let whole = try plan.bytes(upTo: 1 << 30)
        if let body = expected.body ?? (expected.isEmptyRequest ? [] : nil) {
            #expect(String(decoding: whole, as: UTF8.self) == String(decoding: body, as: UTF8.self), "\(row.name)")
            #expect(whole == body, "\(row.name)")
        }
        for size in [1, 7, 64, 4096, whole.count + 1] where size >= 64 || whole.count < 100_000 {
            #expect(try readAll(plan.makeReader(), by: size) == whole, "\(row.name): reads of \(size)")
        }
        #expect(plan.contentLength == Int64(whole.count), "\(row.name)")
        for length in [expected.length, expected.total] {
            if let length { #expect(plan.contentLength == Int64(length), "\(row.name)") }
        }
        if let contentType = expected.contentType { #expect(plan.contentType == contentType, "\(row.name)") }
        if vector.readFirst > 0 {
            let first = plan.makeReader()
            var count = 0
            while count < vector.readFirst {
                let chunk = try first.read(upTo: vector.readFirst - count)
                if chunk.isEmpty { break }
                count += chunk.count
            }
            let copy = try readAll(plan.makeReader(), by: 4096)
            #expect(copy == whole, "\(row.name): a copy begins at the beginning")
            if let total = expected.total { #expect(copy.count == total, "\(row.name): the copy") }
        }
        if let breakdown = expected.breakdown {
            let differences = breakdown.differences(
                whole, boundary: vector.boundary ?? "", contents: vector.contents)
            #expect(differences.isEmpty, "\(row.name): \(differences)")
        }
        if let room = vector.readMaxLength { try self.checkReads(of: room, plan, whole, vector, row) }
        if vector.writesToDisk {
            let path = folder.path.appending("body")
            #expect(try plan.write(toFile: path) == Int64(whole.count), "\(row.name)")
            #expect(try contents(of: path) == whole, "\(row.name): on disk")
        }
    }

    private static func checkReads(
        of room: Int, _ plan: BodyPlan, _ whole: [UInt8], _ vector: MultipartVector, _ row: VectorRow
    ) throws {
        let reader = try plan.makeReader(options: ReaderOptions(rateLimit: vector.rateLimit))
        var sizes: [Int] = []
        var body: [UInt8] = []
        while true {
            var chunk = try reader.read(upTo: room)
            // A read stops before a stream that would have to be waited for; AFNetworking's waits.
            let limit = min(room, vector.rateLimit?.packet ?? room)
            while vector.hasStreams, chunk.count < limit {
                let more = try reader.read(upTo: limit - chunk.count)
                if more.isEmpty { break }
                chunk += more
            }
            if chunk.isEmpty { break }
            sizes.append(chunk.count)
            body += chunk
        }
        if let expected = vector.expected.readSizes { #expect(sizes == expected, "\(row.name)") }
        #expect(body == whole, "\(row.name)")
        #expect(try reader.read(upTo: room).isEmpty, "\(row.name): after the end")
    }

    private static func checkReadFails(
        _ vector: MultipartVector, _ code: FormworkError.Code, _ row: VectorRow, _ folder: TemporaryFolder
    ) throws {
        let plan = try vector.form().plan()
        for size in [1, 7, 64, 4096] {
            let error = #expect(throws: FormworkError.self, "\(row.name): reads of \(size)") {
                _ = try readAll(plan.makeReader(), by: size)
            }
            #expect(error?.code == code, "\(row.name): reads of \(size)")
        }
        guard vector.writesToDisk else { return }
        let error = #expect(throws: FormworkError.self, "\(row.name): on disk") {
            try plan.write(toFile: folder.path.appending("body"))
        }
        #expect(error?.code == code, "\(row.name): on disk")
        #expect(folder.names.isEmpty, "\(row.name): a file is left")
    }
}

@Suite("Vectors: the rows themselves", .timeLimit(.minutes(10)))
struct VectorsLoadingTests {
    @Test("Every row is there")
    func complete() throws {
        let rows = try VectorRow.rows(in: VectorRow.fixtures).filter(MultipartVector.isTaken)
        #expect(rows.filter { $0.file == "multipart-framing.json" }.count == 30)
        #expect(rows.filter { $0.file == "multipart-stream.json" }.count == 15)
    }

    static let strange: [Row<String, String>] = [
        Row("7", "the row is no JSON object", against: "a row that is no object"),
        Row(
            #"{"system": "x.Multipart", "options": {}, "input": [], "expected": ""}"#, #"the system "x.Multipart""#,
            against: "an unknown system"),
        Row(
            #"{"system": "afnetworking.multipart", "options": {"boundary": "b"}, "input": []}"#, "nothing is expected",
            against: "a row that can't fail"),
        Row(
            #"{"system": "afnetworking.multipart", "options": {}, "input": [], "expected": ""}"#, "no boundary",
            against: "a boundary made up"),
        Row(
            #"{"system": "afnetworking.multipart", "options": {"boundary": "b", "gzip": 1}, "input": [], "#
                + #""expected": ""}"#, "options has gzip", against: "an unknown option"),
        Row(
            #"{"system": "alamofire.MultipartFormData", "options": {"boundary": "b", "readFirst": 1}, "#
                + #""input": [], "expected": ""}"#, "options has readFirst", against: "another system's option"),
        Row(
            #"{"system": "afnetworking.multipart.copy", "options": {"boundary": "b", "readFirst": -1}, "#
                + #""input": [], "expectedTotal": 0}"#, "readFirst -1", against: "a number below its least"),
        Row(
            #"{"system": "afnetworking.multipart.contentLength", "options": {"boundary": "b"}, "input": [], "#
                + #""breakdown": {"trailer": 3}}"#, "the breakdown has trailer", against: "an unknown piece"),
        Row(
            #"{"system": "afnetworking.multipart", "options": {"boundary": "b"}, "input": [], "expected": "", "#
                + #""platform": "vms"}"#, #"the platform "vms""#, against: "an unknown platform"),
        Row(
            #"{"system": "afnetworking.multipart", "options": {"boundary": "b"}, "input": [], "expected": "", "#
                + #""expectedHash": "x"}"#, "the row has expectedHash", against: "an unknown expectation"),
        Row(
            #"{"system": "afnetworking.multipart", "options": {"boundary": "b"}, "expected": "", "#
                + #""input": [{"kind": "tar", "name": "a", "utf8": ""}]}"#, #"the kind of part "tar""#,
            against: "an unknown kind of part"),
        Row(
            #"{"system": "afnetworking.multipart", "options": {"boundary": "b"}, "expected": "", "#
                + #""input": [{"kind": "data", "name": "a", "utf8": "", "charset": "x"}]}"#, "a part has charset",
            against: "an unknown key of a part"),
        Row(
            #"{"system": "afnetworking.multipart", "options": {"boundary": "b"}, "expected": "", "#
                + #""input": [{"kind": "data", "name": "a"}]}"#, "a part without bytes",
            against: "a part without content"),
    ]

    @Test("A row that is not understood says so", arguments: strange)
    func notUnderstood(row: Row<String, String>) throws {
        let json = try JSONValue(parsing: Data(row.given.utf8))
        let error = try #require(throws: RowNotUnderstood.self) {
            _ = try MultipartVector(VectorRow(file: "f", name: "n", json: json), in: TemporaryFolder())
        }
        #expect(error.description == row.expected)
    }

    @Test("Of a file with another name, only rows of known systems are run")
    func otherFiles() throws {
        func names(_ file: String) throws -> [String] {
            let rows = #"[{"system": "x"}, {"system": "afnetworking.multipart", "name": "n"}]"#
            return try VectorRow.rows(of: Data(rows.utf8), in: file).filter(MultipartVector.isTaken).map(\.name)
        }
        #expect(try names("other.json") == ["n"])
        #expect(try names("multipart-stream-2.json") == ["row 1", "n"])
        for text in ["7", "{}", "[7]", "no JSON"] {
            #expect(throws: RowNotUnderstood.self) { try VectorRow.rows(of: Data(text.utf8), in: "f") }
        }
    }
}
