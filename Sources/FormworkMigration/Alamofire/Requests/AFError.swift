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

extension AFError: LocalizedError {
    /// One sentence: what is wrong, and where.
    public var errorDescription: String? {
        switch self {
        case .invalidURL(let url): "\"\(url)\" is not a URL."
        case .multipartEncodingFailed(let reason): "The form can't be encoded: \(reason.text)."
        case .parameterEncodingFailed(let reason): "The parameters can't be encoded: \(reason.text)."
        case .parameterEncoderFailed(let reason): "The parameters can't be encoded: \(reason.text)."
        }
    }
}

extension AFError.MultipartEncodingFailureReason {
    fileprivate var text: String {
        switch self {
        case .bodyPartURLInvalid(let url): "\(url) is not a file URL"
        case .bodyPartFilenameInvalid(let url):
            "\(url) doesn't end in a name with an extension: give fileName and mimeType"
        case .bodyPartFileNotReachable(let url): "\(url) doesn't exist"
        case .bodyPartFileNotReachableWithError(let url, let error): "\(url) can't be reached (\(error))"
        case .bodyPartFileIsDirectory(let url): "\(url) is a directory or doesn't exist"
        case .bodyPartFileSizeNotAvailable(let url): "\(url) has no size"
        case .bodyPartFileSizeQueryFailedWithError(let url, let error):
            "\(url) has a size that can't be read (\(error))"
        case .bodyPartInputStreamCreationFailed(let url): "\(url) can't be read"
        case .outputStreamCreationFailed(let url): "\(url) can't be written"
        case .outputStreamFileAlreadyExists(let url): "\(url) already exists"
        case .outputStreamURLInvalid(let url): "\(url) is not a file URL to write to"
        case .outputStreamWriteFailed(let error): "it can't be written (\(error))"
        case .inputStreamReadFailed(let error): "a part can't be read (\(error))"
        }
    }
}

extension AFError.ParameterEncodingFailureReason {
    fileprivate var text: String {
        switch self {
        case .missingURL: "the request has no URL"
        case .jsonEncodingFailed(let error): "they can't be written as JSON (\(error))"
        case .propertyListEncodingFailed(let error): "they can't be written as a property list (\(error))"
        case .customEncodingFailed(let error): "a custom encoding failed (\(error))"
        }
    }
}

extension AFError.ParameterEncoderFailureReason {
    fileprivate var text: String {
        switch self {
        case .missingRequiredComponent(.url): "the request has no valid URL"
        case .missingRequiredComponent(.httpMethod(let method)): "the request's method \"\(method)\" is not known"
        case .encoderFailed(let error): "the encoder failed (\(error))"
        }
    }
}

extension AFError {
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

    /// The file of a form that the error is about; `nil` if there is none.
    public var url: URL? { if case .multipartEncodingFailed(let reason) = self { reason.url } else { nil } }

    /// The error that caused this one; `nil` if there is none.
    public var underlyingError: (any Error)? {
        switch self {
        case .multipartEncodingFailed(let reason): reason.underlyingError
        case .parameterEncodingFailed(.jsonEncodingFailed(let error)),
            .parameterEncodingFailed(.propertyListEncodingFailed(let error)),
            .parameterEncodingFailed(.customEncodingFailed(let error)),
            .parameterEncoderFailed(.encoderFailed(let error)):
            error
        case .parameterEncodingFailed(.missingURL), .parameterEncoderFailed(.missingRequiredComponent), .invalidURL:
            nil
        }
    }
}

extension AFError.MultipartEncodingFailureReason {
    fileprivate var url: URL? {
        switch self {
        case .bodyPartURLInvalid(let url), .bodyPartFilenameInvalid(let url), .bodyPartFileNotReachable(let url),
            .bodyPartFileNotReachableWithError(let url, _), .bodyPartFileIsDirectory(let url),
            .bodyPartFileSizeNotAvailable(let url), .bodyPartFileSizeQueryFailedWithError(let url, _),
            .bodyPartInputStreamCreationFailed(let url), .outputStreamCreationFailed(let url),
            .outputStreamFileAlreadyExists(let url), .outputStreamURLInvalid(let url):
            url
        case .outputStreamWriteFailed, .inputStreamReadFailed: nil
        }
    }

    fileprivate var underlyingError: (any Error)? {
        switch self {
        case .bodyPartFileNotReachableWithError(_, let error), .bodyPartFileSizeQueryFailedWithError(_, let error),
            .outputStreamWriteFailed(let error), .inputStreamReadFailed(let error):
            error
        default: nil
        }
    }
}
