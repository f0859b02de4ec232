import AsyncHTTPClient
import FormworkClient
import NIOCore

/// Why a request to an object store failed.
struct S3Error: Error, Sendable, CustomStringConvertible {
    enum Reason: Sendable {
        /// The store refused the request.
        case answer(status: UInt, code: String, message: String?, requestID: String?)
        /// There was no answer: the connection was refused, reset, or timed out.
        case connection(any Error)
        /// An answer that isn't S3's.
        case unreadable(status: UInt)
        /// Another program stored the key first.
        case overtaken
    }

    /// For example `UploadPart`.
    let operation: String
    let reason: Reason
    /// The number of tries.
    var attempts = 1
    /// The bucket's region, if the store named it.
    var region: String?

    /// The store's error code; `nil` if there is none.
    var code: String? {
        if case .answer(_, let code, _, _) = self.reason { code } else { nil }
    }

    /// The answer's status; 0 without an answer.
    var status: UInt {
        switch self.reason {
        case .answer(let status, _, _, _), .unreadable(let status): status
        case .connection, .overtaken: 0
        }
    }

    /// Whether the same request may succeed later.
    var isTransient: Bool {
        switch self.reason {
        case .connection(let error): !MissingResponse.isUntrusted(error)
        case .overtaken: false
        case .answer(let status, let code, _, _):
            [429, 500, 502, 503, 504].contains(status) || Self.transientCodes.contains(code)
        case .unreadable(let status): [429, 500, 502, 503, 504].contains(status)
        }
    }

    /// Whether the store refuses to list its content; the keys are valid.
    var isUnlisted: Bool { [405, 501].contains(self.status) || ["AccessDenied", "Forbidden"].contains(self.code) }

    /// Whether the store doesn't copy parts, or not for these keys.
    var refusesCopy: Bool {
        // 404: the object is gone, because another receiver has the upload.
        self.operation == "UploadPartCopy" && !self.isTransient && [400, 403, 405, 501].contains(self.status)
            && !Self.keyCodes.contains(self.code ?? "")
    }

    /// Codes of answers about the keys or the clock, whatever the request.
    private static let keyCodes: Set<String> = [
        "RequestTimeTooSkewed", "ExpiredToken", "InvalidToken", "InvalidAccessKeyId", "SignatureDoesNotMatch",
    ]

    private static let transientCodes: Set<String> = [
        "SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout", "OperationAborted",
        "ConditionalRequestConflict", "Throttling", "ThrottlingException",
    ]

    var description: String {
        var text =
            switch self.reason {
            case .answer(let status, let code, let message, let requestID):
                "\(self.operation): \(status) \(code)" + (message.flatMap { $0.isEmpty ? nil : ": \($0)" } ?? "")
                    + (requestID.map { ", request \($0)" } ?? "")
            case .connection(let error): "\(self.operation): no answer from the store: \(Self.words(error))"
            case .unreadable(let status):
                "\(self.operation): the answer (\(status)) isn't from an object store; check the address"
            case .overtaken:
                "\(self.operation): another program stored this name first, and its file isn't replaced; send again"
            }
        if self.attempts > 1 { text += ", tried \(self.attempts, "time")" }
        if let hint { text += "; \(hint)" }
        // The store's texts are in it.
        return text.withControlCharactersEscaped
    }

    /// Why there was no answer.
    private static func words(_ error: any Error) -> String {
        switch error {
        // The hint says more.
        case _ where MissingResponse.isUntrusted(error): "TLS failed"
        case let error as HTTPClientError where error == .remoteConnectionClosed: "it closed the connection"
        case is IOError: TransferError.text(error)
        default:
            MissingResponse(error, limit: nil, longestAnswer: S3Exchange.longestAnswer).description
        }
    }

    /// The reason as a label: few values, whatever the store sends.
    var label: String {
        switch self.reason {
        case .answer(let status, _, _, _): "\(status)"
        case .connection: "connection"
        case .overtaken: "overtaken"
        case .unreadable: "unreadable"
        }
    }

    /// How to fix it, if that is known.
    private var hint: String? {
        if case .connection(let error) = self.reason, MissingResponse.isUntrusted(error) {
            return
                "the store's certificate isn't trusted: set AWS_CA_BUNDLE to a PEM file of its authority's certificate"
        }
        return switch self.code {
        case "InvalidAccessKeyId": "the store doesn't know AWS_ACCESS_KEY_ID"
        case "SignatureDoesNotMatch": "AWS_SECRET_ACCESS_KEY is wrong, or something on the way changed the request"
        case "AccessDenied": "the key isn't allowed to do this: check its policy, and the bucket's"
        case "Forbidden":
            "the store doesn't say why: check the keys, what their policy and the bucket's allow, and this machine's clock"
        case "ExpiredToken", "InvalidToken": "fetch new keys: AWS_SESSION_TOKEN has expired or is invalid"
        case "NoSuchBucket": "create the bucket first"
        case "RequestTimeTooSkewed": "set this machine's clock"
        case "PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException":
            self.region.map { "the bucket is in \($0): set AWS_REGION" } ?? "check AWS_REGION and the address"
        default: nil
        }
    }
}

extension S3Error: StorageFailure {
    /// Codes of overloaded and of full stores: those of Amazon, Ceph and MinIO, and of stores that use WebDAV's status.
    private static let publicStatuses = [
        "SlowDown": 503, "ServiceUnavailable": 503, "Throttling": 503, "ThrottlingException": 503,
        "TooManyRequests": 503,
        "QuotaExceeded": 507, "XMinioStorageFull": 507, "InsufficientStorage": 507,
    ]

    var publicStatus: Int {
        if case .overtaken = self.reason { return 409 }
        return self.code.flatMap { Self.publicStatuses[$0] } ?? [429: 503, 503: 503, 507: 507][self.status] ?? 502
    }

    var publicDetail: String {
        switch self.publicStatus {
        case 409:
            "Another program stored a file of this name first, and it isn't replaced: send the file again."
        case 503: "The object store is overloaded; no file of the upload was stored."
        case 507: "The object store has no room for the upload; none of its files were stored."
        default: "The object store failed or refused the upload; none of its files were stored."
        }
    }
}
