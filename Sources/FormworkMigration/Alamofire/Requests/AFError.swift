import FormworkFoundation
import Foundation

/// Why a body could not be made, in Alamofire's terms.
public enum AFError: Error, Sendable {
    /// Why a form could not be encoded.
    public enum MultipartEncodingFailureReason: Sendable {
        /// A part's URL names no file.
        case bodyPartURLInvalid(url: URL)
        /// A part's URL ends in no name, or in one without an extension.
        case bodyPartFilenameInvalid(in: URL)
        /// A part's file isn't there.
        case bodyPartFileNotReachable(at: URL)
        /// A part's file isn't there; the error says more.
        case bodyPartFileNotReachableWithError(atURL: URL, error: any Error)
        /// A part's file is a directory.
        case bodyPartFileIsDirectory(at: URL)
        /// A part's file has no size: it is a device, a FIFO or a socket.
        case bodyPartFileSizeNotAvailable(at: URL)
        /// A part's file could not be asked for its size.
        case bodyPartFileSizeQueryFailedWithError(forURL: URL, error: any Error)
        /// No stream could be made of a part's file.
        case bodyPartInputStreamCreationFailed(for: URL)
        /// No stream could be made of the file to write to.
        case outputStreamCreationFailed(for: URL)
        /// The file to write to exists.
        case outputStreamFileAlreadyExists(at: URL)
        /// The URL to write to names no file.
        case outputStreamURLInvalid(url: URL)
        /// The file could not be written.
        case outputStreamWriteFailed(error: any Error)
        /// A part could not be read, or its header section can't be written.
        case inputStreamReadFailed(error: any Error)
    }

    /// A part's content is not as long as was declared.
    public struct UnexpectedInputStreamLength: Error, CustomStringConvertible {
        /// Bytes declared.
        public var bytesExpected: UInt64
        /// Bytes read: all there were, or enough to know that there are too many.
        public var bytesRead: UInt64

        /// Describes the difference.
        public init(bytesExpected: UInt64, bytesRead: UInt64) {
            self.bytesExpected = bytesExpected
            self.bytesRead = bytesRead
        }

        /// Both numbers, and what 0 may mean.
        public var description: String {
            "\(self.bytesRead) bytes were read where \(self.bytesExpected) were declared"
                + (self.bytesRead == 0 ? ": was the stream read before?" : "")
        }
    }

    /// Why parameters could not be encoded by a `ParameterEncoding`.
    public enum ParameterEncodingFailureReason: Sendable {
        /// The request has no URL.
        case missingURL
        /// The parameters could not be made JSON.
        case jsonEncodingFailed(error: any Error)
        /// The parameters could not be made a property list.
        case propertyListEncodingFailed(error: any Error)
        /// An encoding of the caller's own failed.
        case customEncodingFailed(error: any Error)
    }

    /// Why parameters could not be encoded by a `ParameterEncoder`.
    public enum ParameterEncoderFailureReason: Sendable {
        /// What a request can lack.
        public enum RequiredComponent: Sendable {
            /// The URL, or one that can be taken apart.
            case url
            /// A method that is known.
            case httpMethod(rawValue: String)
        }

        /// The request lacks something.
        case missingRequiredComponent(RequiredComponent)
        /// The encoder failed.
        case encoderFailed(error: any Error)
    }

    /// No URL can be made of this.
    case invalidURL(url: any URLConvertible)
    /// A form could not be encoded.
    case multipartEncodingFailed(reason: MultipartEncodingFailureReason)
    /// A `ParameterEncoding` failed.
    case parameterEncodingFailed(reason: ParameterEncodingFailureReason)
    /// A `ParameterEncoder` failed.
    case parameterEncoderFailed(reason: ParameterEncoderFailureReason)
}

extension Error {
    /// The error as an ``AFError``; `nil` when it is another.
    public var asAFError: AFError? { self as? AFError }

    /// The error as an ``AFError``. Any other ends the program with `message`.
    public func asAFError(
        orFailWith message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
    ) -> AFError {
        guard let error = self as? AFError else { preconditionFailure(message(), file: file, line: line) }
        return error
    }
}
