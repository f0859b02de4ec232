import FormworkFoundation
import Foundation

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
