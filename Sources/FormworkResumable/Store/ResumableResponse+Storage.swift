import FormworkHTTP
import HTTPTypes

extension ResumableResponse {
    static let insufficientStorage = ResumableResponse(
        HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"), [.retryAfter: "60"])

    package static var tooMany: ResumableResponse {
        var answer = ResumableResponse(
            .serviceUnavailable, .other("The space for unfinished uploads is full: try again later."))
        answer.response.headerFields[.retryAfter] = "60"
        return answer
    }

    /// The answer after an error of the storage. Clients take 507 as final, so only a lack of room is answered so: too
    /// many open files, for example, pass by themselves.
    static func storageFailed(_ error: any Error) -> ResumableResponse {
        if HTTPResponse.Status(processingError: error).code == 507 { return self.insufficientStorage }
        let isForbidden =
            Errno(of: error).map { [.permissionDenied, .notPermitted, .readOnlyFileSystem].contains($0) } ?? false
        return ResumableResponse(.serviceUnavailable, [.retryAfter: isForbidden ? "60" : "5"])
    }

    /// The answer if another process has the upload.
    static func busy(isTus: Bool) -> ResumableResponse {
        let status = isTus ? HTTPResponse.Status(code: 423, reasonPhrase: "Locked") : .serviceUnavailable
        return ResumableResponse(status, [.retryAfter: "1"])
    }

    /// The answer if there is no upload at the request's URL.
    static func missing(_ request: HTTPRequest) -> ResumableResponse {
        let isTus = request.headerFields.contains(.tusResumable)
        return UploadResource.missing(isTus ? .tus : request.headerFields.interopVersion.map { .draft($0) })
    }

    /// The answer for a client that uses neither protocol.
    var ordinary: ResumableResponse {
        var copy = self
        for name in [
            HTTPField.Name.uploadDraftInteropVersion, .uploadComplete, .uploadOffset, .uploadLimit, .uploadLength,
        ] {
            copy.response.headerFields[name] = nil
        }
        return copy
    }
}

extension HTTPResponse.Status {
    /// The status after an error of the processing of a complete upload.
    init(processingError error: any Error) {
        if let failure = error as? any StatusFailure {
            self = failure.status
        } else {
            let isFull = Errno(of: error)?.isLackOfRoom == true
            self = isFull ? ResumableResponse.insufficientStorage.response.status : .internalServerError
        }
    }
}
