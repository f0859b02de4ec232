import FormworkFoundation
import Foundation

/// Why a body couldn't be made, in Alamofire's terms.
public enum AFError: Error, Sendable {
    /// Why a form could not be encoded.
    public enum MultipartEncodingFailureReason: Sendable {
        /// A part's URL isn't a file URL.
        case bodyPartURLInvalid(url: URL)
        /// A part's URL doesn't end in a name, or its name has no extension.
        case bodyPartFilenameInvalid(in: URL)
        /// A part's file doesn't exist.
        case bodyPartFileNotReachable(at: URL)
        /// A part's file can't be reached; the error has the reason.
        case bodyPartFileNotReachableWithError(atURL: URL, error: any Error)
        /// A part's file is a directory.
        case bodyPartFileIsDirectory(at: URL)
        /// A part's file has no size: it is a device, a FIFO or a socket.
        case bodyPartFileSizeNotAvailable(at: URL)
        /// A part's file size can't be read.
        case bodyPartFileSizeQueryFailedWithError(forURL: URL, error: any Error)
        /// A stream for a part's file can't be made.
        case bodyPartInputStreamCreationFailed(for: URL)
        /// A stream for the file to write to can't be made.
        case outputStreamCreationFailed(for: URL)
        /// The file to write to exists.
        case outputStreamFileAlreadyExists(at: URL)
        /// The URL to write to isn't a file URL.
        case outputStreamURLInvalid(url: URL)
        /// The file could not be written.
        case outputStreamWriteFailed(error: any Error)
        /// A part could not be read, or its header section can't be written.
        case inputStreamReadFailed(error: any Error)
    }

    /// A part's content doesn't have its declared length.
    public struct UnexpectedInputStreamLength: Error, CustomStringConvertible {
        /// The declared number of bytes.
        public var bytesExpected: UInt64
        /// The number of bytes read: all of them, or enough to show that there are too many.
        public var bytesRead: UInt64

        /// Creates an error.
        public init(bytesExpected: UInt64, bytesRead: UInt64) {
            self.bytesExpected = bytesExpected
            self.bytesRead = bytesRead
        }

        /// Both numbers, and a hint for 0.
        public var description: String {
            "the stream has \(self.bytesRead, "byte"), but \(self.bytesExpected) were declared"
                + (self.bytesRead == 0 ? ": was the stream read before?" : "")
        }
    }

    /// Why parameters could not be encoded by a `ParameterEncoding`.
    public enum ParameterEncodingFailureReason: Sendable {
        /// The request has no URL.
        case missingURL
        /// The parameters can't be written as JSON.
        case jsonEncodingFailed(error: any Error)
        /// The parameters can't be written as a property list.
        case propertyListEncodingFailed(error: any Error)
        /// A custom encoding failed.
        case customEncodingFailed(error: any Error)
    }

    /// Why parameters could not be encoded by a `ParameterEncoder`.
    public enum ParameterEncoderFailureReason: Sendable {
        /// A component that a request can lack.
        public enum RequiredComponent: Sendable {
            /// A valid URL.
            case url
            /// A known method.
            case httpMethod(rawValue: String)
        }

        /// The request lacks a component.
        case missingRequiredComponent(RequiredComponent)
        /// The encoder failed.
        case encoderFailed(error: any Error)
    }

    /// This isn't a URL.
    case invalidURL(url: any URLConvertible)
    /// A form could not be encoded.
    case multipartEncodingFailed(reason: MultipartEncodingFailureReason)
    /// A `ParameterEncoding` failed.
    case parameterEncodingFailed(reason: ParameterEncodingFailureReason)
    /// A `ParameterEncoder` failed.
    case parameterEncoderFailed(reason: ParameterEncoderFailureReason)
}

extension Error {
    /// The error as an ``AFError``; `nil` if it is another type.
    public var asAFError: AFError? { self as? AFError }

    /// The error as an ``AFError``. For any other type it stops the program with `message`.
    public func asAFError(
        orFailWith message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
    ) -> AFError {
        guard let error = self as? AFError else { preconditionFailure(message(), file: file, line: line) }
        return error
    }
}

extension AFError {
    /// What an error is about: the file of a form, and the error that caused it.
    private typealias Details = (text: String, url: URL?, cause: (any Error)?)

    private var details: Details {
        switch self {
        case .invalidURL(let url): return ("\"\(url)\" is not a URL", nil, nil)
        case .multipartEncodingFailed(let reason):
            let details = Self.details(reason)
            return ("The form can't be encoded: \(details.text)", details.url, details.cause)
        case .parameterEncodingFailed(let reason): return Self.parameters(Self.details(reason))
        case .parameterEncoderFailed(let reason): return Self.parameters(Self.details(reason))
        }
    }

    private static func parameters(_ reason: (text: String, cause: (any Error)?)) -> Details {
        ("The parameters can't be encoded: \(reason.text)", nil, reason.cause)
    }

    private static func details(_ reason: MultipartEncodingFailureReason) -> Details {
        switch reason {
        case .bodyPartURLInvalid(let url): ("\(url) is not a file URL", url, nil)
        case .bodyPartFilenameInvalid(let url):
            ("\(url) doesn't end in a name with an extension: give fileName and mimeType", url, nil)
        case .bodyPartFileNotReachable(let url): ("\(url) doesn't exist", url, nil)
        case .bodyPartFileNotReachableWithError(let url, let cause): ("\(url) can't be reached (\(cause))", url, cause)
        case .bodyPartFileIsDirectory(let url): ("\(url) is a directory or doesn't exist", url, nil)
        case .bodyPartFileSizeNotAvailable(let url): ("\(url) has no size", url, nil)
        case .bodyPartFileSizeQueryFailedWithError(let url, let cause):
            ("\(url) has a size that can't be read (\(cause))", url, cause)
        case .bodyPartInputStreamCreationFailed(let url): ("\(url) can't be read", url, nil)
        case .outputStreamCreationFailed(let url): ("\(url) can't be written", url, nil)
        case .outputStreamFileAlreadyExists(let url): ("\(url) already exists", url, nil)
        case .outputStreamURLInvalid(let url): ("\(url) is not a file URL to write to", url, nil)
        case .outputStreamWriteFailed(let cause): ("it can't be written (\(cause))", nil, cause)
        case .inputStreamReadFailed(let cause): ("a part can't be read (\(cause))", nil, cause)
        }
    }

    private static func details(_ reason: ParameterEncodingFailureReason) -> (text: String, cause: (any Error)?) {
        switch reason {
        case .missingURL: ("the request has no URL", nil)
        case .jsonEncodingFailed(let cause): ("they can't be written as JSON (\(cause))", cause)
        case .propertyListEncodingFailed(let cause): ("they can't be written as a property list (\(cause))", cause)
        case .customEncodingFailed(let cause): ("a custom encoding failed (\(cause))", cause)
        }
    }

    private static func details(_ reason: ParameterEncoderFailureReason) -> (text: String, cause: (any Error)?) {
        switch reason {
        case .missingRequiredComponent(.url): ("the request has no valid URL", nil)
        case .missingRequiredComponent(.httpMethod(let method)):
            ("the request's method \"\(method)\" is not known", nil)
        case .encoderFailed(let cause): ("the encoder failed (\(cause))", cause)
        }
    }
}

extension AFError: LocalizedError {
    /// One sentence: what is wrong, and where.
    public var errorDescription: String? { "\(self.details.text)." }
    /// The file of a form that the error is about; `nil` if there is none.
    public var url: URL? { self.details.url }
    /// The error that caused this one; `nil` if there is none.
    public var underlyingError: (any Error)? { self.details.cause }

    /// Whether this is ``invalidURL(url:)``.
    public var isInvalidURLError: Bool { if case .invalidURL = self { true } else { false } }
    /// Whether this is ``multipartEncodingFailed(reason:)``.
    public var isMultipartEncodingError: Bool { if case .multipartEncodingFailed = self { true } else { false } }
    /// Whether this is ``parameterEncodingFailed(reason:)``.
    public var isParameterEncodingError: Bool { if case .parameterEncodingFailed = self { true } else { false } }
    /// Whether this is ``parameterEncoderFailed(reason:)``.
    public var isParameterEncoderError: Bool { if case .parameterEncoderFailed = self { true } else { false } }
    /// The value that isn't a URL; `nil` for other errors.
    public var urlConvertible: (any URLConvertible)? { if case .invalidURL(let url) = self { url } else { nil } }
}
