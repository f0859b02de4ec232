import FormworkFoundation
import Foundation

extension AFError: LocalizedError {
    /// One sentence: what was found, and where.
    public var errorDescription: String? {
        switch self {
        case .invalidURL(let url): "\"\(url)\" is no URL."
        case .multipartEncodingFailed(let reason): "The form can't be encoded: \(reason.text)."
        case .parameterEncodingFailed(let reason): "The parameters can't be encoded: \(reason.text)."
        case .parameterEncoderFailed(let reason): "The parameters can't be encoded: \(reason.text)."
        }
    }
}

extension AFError.MultipartEncodingFailureReason {
    fileprivate var text: String {
        switch self {
        case .bodyPartURLInvalid(let url): "\(url) names no file"
        case .bodyPartFilenameInvalid(let url): "\(url) ends in no name with an extension: give fileName and mimeType"
        case .bodyPartFileNotReachable(let url): "\(url) isn't there"
        case .bodyPartFileNotReachableWithError(let url, let error): "\(url) isn't there (\(error))"
        case .bodyPartFileIsDirectory(let url): "\(url) is a directory, or isn't there"
        case .bodyPartFileSizeNotAvailable(let url): "\(url) has no size"
        case .bodyPartFileSizeQueryFailedWithError(let url, let error): "\(url) doesn't tell its size (\(error))"
        case .bodyPartInputStreamCreationFailed(let url): "\(url) can't be read"
        case .outputStreamCreationFailed(let url): "\(url) can't be written"
        case .outputStreamFileAlreadyExists(let url): "\(url) exists already"
        case .outputStreamURLInvalid(let url): "\(url) names no file to write"
        case .outputStreamWriteFailed(let error): "it can't be written (\(error))"
        case .inputStreamReadFailed(let error): "a part can't be read (\(error))"
        }
    }
}

extension AFError.ParameterEncodingFailureReason {
    fileprivate var text: String {
        switch self {
        case .missingURL: "the request has no URL"
        case .jsonEncodingFailed(let error): "they can't be made JSON (\(error))"
        case .propertyListEncodingFailed(let error): "they can't be made a property list (\(error))"
        case .customEncodingFailed(let error): "an encoding of the caller's failed (\(error))"
        }
    }
}

extension AFError.ParameterEncoderFailureReason {
    fileprivate var text: String {
        switch self {
        case .missingRequiredComponent(.url): "the request has no URL that can be taken apart"
        case .missingRequiredComponent(.httpMethod(let method)): "the request's method \"\(method)\" is not known"
        case .encoderFailed(let error): "the encoder failed (\(error))"
        }
    }
}
