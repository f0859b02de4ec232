// The test helpers that Alamofire's tests of bodies use, without its session.
import Foundation
import FormworkMigration
import XCTest

class BaseTestCase: XCTestCase {
    private lazy var folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    var testDirectoryURL: URL { self.folder }
    var temporaryFileURL: URL { self.folder.appendingPathComponent(UUID().uuidString) }

    override func setUpWithError() throws {
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws { try FileManager.default.removeItem(at: self.folder) }

    func url(forResource name: String, withExtension suffix: String) -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Images/\(name).\(suffix)")
    }
}

struct Endpoint {
    var method = HTTPMethod.get
    var headers = HTTPHeaders()

    var urlRequest: URLRequest {
        var request = URLRequest(url: URL(string: "http://127.0.0.1:8080/\(self.method.rawValue.lowercased())")!)
        request.method = self.method
        request.headers = self.headers
        return request
    }
}

struct TestParameters: Encodable {
    static let `default` = TestParameters(property: "property")
    var property: String
}

extension Data {
    var asString: String { String(decoding: self, as: UTF8.self) }
    func asJSONObject() throws -> Any { try JSONSerialization.jsonObject(with: self, options: .fragmentsAllowed) }
}

extension Result {
    var isSuccess: Bool { self.success != nil }
    var isFailure: Bool { self.failure != nil }
    var success: Success? { if case .success(let value) = self { value } else { nil } }
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

extension AFError {
    private var multipart: MultipartEncodingFailureReason? {
        if case .multipartEncodingFailed(let reason) = self { reason } else { nil }
    }

    var isBodyPartURLInvalid: Bool { if case .bodyPartURLInvalid? = self.multipart { true } else { false } }
    var isBodyPartFilenameInvalid: Bool { if case .bodyPartFilenameInvalid? = self.multipart { true } else { false } }
    var isBodyPartFileNotReachableWithError: Bool {
        if case .bodyPartFileNotReachableWithError? = self.multipart { true } else { false }
    }
    var isBodyPartFileIsDirectory: Bool { if case .bodyPartFileIsDirectory? = self.multipart { true } else { false } }
    var isOutputStreamFileAlreadyExists: Bool {
        if case .outputStreamFileAlreadyExists? = self.multipart { true } else { false }
    }
    var isOutputStreamURLInvalid: Bool { if case .outputStreamURLInvalid? = self.multipart { true } else { false } }
    var isInputStreamReadFailed: Bool { if case .inputStreamReadFailed? = self.multipart { true } else { false } }
    var isMissingURLFailed: Bool { if case .parameterEncodingFailed(.missingURL) = self { true } else { false } }
    var isJSONEncodingFailed: Bool {
        if case .parameterEncodingFailed(.jsonEncodingFailed) = self { true } else { false }
    }
}
