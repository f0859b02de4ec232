import FormworkHTTP
import FormworkResumable
import Testing

@Suite("Problem details", .timeLimit(.minutes(10)))
struct ProblemDetailsTests {
    @Test("A document has the members, in the order of their names")
    func document() {
        let problem = ProblemDetails(
            type: "https://example.com/full", title: "Disk \"full\"", status: 507, detail: "a\nb/c",
            members: ["status": "1", "zone": "ü"])
        #expect(
            String(decoding: problem.jsonBytes, as: UTF8.self)
                == #"{"detail":"a\nb/c","status":507,"title":"Disk \"full\"","type":"https://example.com/full","zone":"ü"}"#
        )
        #expect(
            String(decoding: ProblemDetails(title: "Gone", status: 410).jsonBytes, as: UTF8.self)
                == #"{"status":410,"title":"Gone","type":"about:blank"}"#)
    }

    @Test("A status that is only a number has its phrase all the same")
    func phrases() {
        for (code, title) in [(409, "Conflict"), (500, "Internal Server Error"), (599, "Status 599")] {
            #expect(ProblemDetails(HTTPResponse.Status(code: code)).title == title)
        }
    }

    @Test("Of an error the peer learns its class, and no path")
    func errors() {
        let limit = FormworkError(
            .limitExceeded, "in /srv/x", part: PartReference(index: 0, name: "a\u{1B}"),
            cause: ParsingFailure(.filesLimit, limit: 3))
        #expect(
            ProblemDetails(limit)
                == ProblemDetails(
                    title: "Content Too Large", status: 413, detail: "There are too many files: the limit is 3.",
                    members: ["code": "limit.files", "limit": "3", "field": "a\u{1B}"]))
        let fields = FormworkError(.limitExceeded, "x", cause: ParsingFailure(.headerCountLimit, limit: 32))
        #expect(ProblemDetails(fields).detail == "A part has too many header fields: the limit is 32.")
        let twice = #expect(throws: FormworkError.self) {
            try MultipartParser(contentType: "multipart/form-data; boundary=a; boundary=b")
        }
        #expect(
            twice.flatMap { ProblemDetails($0).detail }
                == "A header field, or a parameter such as boundary or name, is given twice: send it once.")
        let mark = FormworkError(.malformedBody, "x", cause: ParsingFailure(.delimiterInPreamble))
        #expect(
            ProblemDetails(mark).detail
                == "A line before the first part has the boundary, but isn't a delimiter: nothing may be before it on its line, "
                + "and lines must end with CRLF.")
        #expect(ProblemDetails(FormworkError(.sourceChanged, "/srv/x")) == ProblemDetails(.internalServerError))
        for (errno, status) in [(Errno.noSpace, 507), (.tooManyOpenFiles, 503), (.ioError, 500)] {
            let problem = ProblemDetails(FormworkError(.writeFailed, "x", path: "/srv/x", cause: errno))
            #expect(problem.status == status)
            #expect(problem.detail?.contains("/srv") != true)
        }
        #expect(ProblemDetails(FormworkError(.truncatedBody, "x")).status == 400)
        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        let path = ["metadata", "title"].map { Key(stringValue: $0) }
        let mismatch = DecodingError.typeMismatch(String.self, .init(codingPath: path, debugDescription: "of /srv/x"))
        #expect(
            ProblemDetails(
                FormworkError(.malformedBody, "x", part: PartReference(index: 0, name: "metadata"), cause: mismatch))
                == ProblemDetails(
                    title: "Bad Request", status: 400, detail: "A field has the wrong type.",
                    members: ["code": "invalidField", "field": "metadata[title]"]))
        #expect(ProblemDetails(FormworkError(.timedOut, "x")).status == 408)
    }
}
