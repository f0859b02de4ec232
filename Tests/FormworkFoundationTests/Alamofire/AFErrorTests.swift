import Foundation
import FormworkFoundation
import FormworkMigration
import Testing

@Suite("Alamofire's errors", .timeLimit(.minutes(10)))
struct AFErrorTests {
    struct Cause: Error, CustomStringConvertible { var description: String { "the cause" } }

    struct Row: Sendable, CustomTestStringConvertible {
        var reason: AFError.MultipartEncodingFailureReason
        var hasURL: Bool
        var hasCause: Bool
        var text: String
        var testDescription: String { self.text }
    }

    static let url = URL(fileURLWithPath: "/f")
    static let rows: [Row] = [
        Row(reason: .bodyPartURLInvalid(url: url), hasURL: true, hasCause: false, text: "file:///f is not a file URL"),
        Row(
            reason: .bodyPartFilenameInvalid(in: url), hasURL: true, hasCause: false,
            text: "file:///f doesn't end in a name with an extension: give fileName and mimeType"),
        Row(reason: .bodyPartFileNotReachable(at: url), hasURL: true, hasCause: false, text: "file:///f doesn't exist"),
        Row(
            reason: .bodyPartFileNotReachableWithError(atURL: url, error: Cause()), hasURL: true, hasCause: true,
            text: "file:///f can't be reached (the cause)"),
        Row(
            reason: .bodyPartFileIsDirectory(at: url), hasURL: true, hasCause: false,
            text: "file:///f is a directory or doesn't exist"),
        Row(
            reason: .bodyPartFileSizeNotAvailable(at: url), hasURL: true, hasCause: false, text: "file:///f has no size"
        ),
        Row(
            reason: .bodyPartFileSizeQueryFailedWithError(forURL: url, error: Cause()), hasURL: true, hasCause: true,
            text: "file:///f has a size that can't be read (the cause)"),
        Row(
            reason: .bodyPartInputStreamCreationFailed(for: url), hasURL: true, hasCause: false,
            text: "file:///f can't be read"),
        Row(
            reason: .outputStreamCreationFailed(for: url), hasURL: true, hasCause: false,
            text: "file:///f can't be written"),
        Row(
            reason: .outputStreamFileAlreadyExists(at: url), hasURL: true, hasCause: false,
            text: "file:///f already exists"),
        Row(
            reason: .outputStreamURLInvalid(url: url), hasURL: true, hasCause: false,
            text: "file:///f is not a file URL to write to"),
        Row(
            reason: .outputStreamWriteFailed(error: Cause()), hasURL: false, hasCause: true,
            text: "it can't be written (the cause)"),
        Row(
            reason: .inputStreamReadFailed(error: Cause()), hasURL: false, hasCause: true,
            text: "a part can't be read (the cause)"),
    ]

    @Test("A form's failure tells its file, its cause, and both in words", arguments: rows)
    func multipart(row: Row) {
        let error = AFError.multipartEncodingFailed(reason: row.reason)
        #expect(error.isMultipartEncodingError)
        #expect(error.url == (row.hasURL ? Self.url : nil))
        #expect((error.underlyingError is Cause) == row.hasCause)
        #expect(error.errorDescription == "The form can't be encoded: \(row.text).")
    }

    @Test("Parameters' failures tell their cause, and what is missing")
    func parameters() {
        let json = AFError.parameterEncodingFailed(reason: .jsonEncodingFailed(error: Cause()))
        #expect(json.isParameterEncodingError && !json.isParameterEncoderError && !json.isInvalidURLError)
        #expect(json.underlyingError is Cause)
        #expect(json.errorDescription == "The parameters can't be encoded: they can't be written as JSON (the cause).")
        let custom = AFError.parameterEncodingFailed(reason: .customEncodingFailed(error: Cause()))
        #expect(custom.underlyingError is Cause)
        let missing = AFError.parameterEncodingFailed(reason: .missingURL)
        #expect(missing.errorDescription == "The parameters can't be encoded: the request has no URL.")
        let encoder = AFError.parameterEncoderFailed(reason: .encoderFailed(error: Cause()))
        #expect(encoder.isParameterEncoderError && !encoder.isParameterEncodingError)
        #expect(encoder.underlyingError is Cause)
        let method = AFError.parameterEncoderFailed(reason: .missingRequiredComponent(.httpMethod(rawValue: "X")))
        #expect(method.underlyingError == nil && method.url == nil && method.urlConvertible == nil)
        #expect(
            method.localizedDescription == "The parameters can't be encoded: the request's method \"X\" is not known.")
    }

    @Test("Any error can be asked for being Alamofire's")
    func casting() {
        let error: any Error = AFError.invalidURL(url: "x y")
        #expect(error.asAFError?.errorDescription == "\"x y\" is not a URL.")
        #expect(error.asAFError(orFailWith: "it is").isInvalidURLError)
        #expect(Cause().asAFError == nil)
    }

    @Test("A wrong length is told in both numbers")
    func length() {
        let short = AFError.UnexpectedInputStreamLength(bytesExpected: 5, bytesRead: 2)
        #expect("\(short)" == "the stream has 2 bytes, but 5 were declared")
        let none = AFError.UnexpectedInputStreamLength(bytesExpected: 5, bytesRead: 0)
        #expect("\(none)" == "the stream has 0 bytes, but 5 were declared: was the stream read before?")
    }
}
