import FormworkFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Why a request couldn't be made. As an `NSError` it has AFNetworking's domain, code and keys.
public struct RequestSerializationError: Error, LocalizedError, CustomNSError {
    /// AFNetworking's code.
    public var code: URLError.Code
    /// The reason, in AFNetworking's words.
    public var reason: String
    /// The request that failed; `nil` if there was none yet.
    public var request: URLRequest?
    /// The system's error, unchanged; for invalid JSON a ``FormworkError``, which names the value.
    public var cause: (any Error)?

    static func invalidJSON(_ object: Any, _ request: URLRequest) -> Self {
        Self(
            code: .cannotDecodeContentData, reason: "The `parameters` argument is not valid JSON.", request: request,
            cause: JSONCheck.error(object))
    }

    static func badURL(_ reason: String, cause: (any Error)? = nil) -> Self {
        Self(code: .badURL, reason: reason, cause: cause)
    }

    /// AFNetworking's error domain for requests.
    public static let errorDomain = "com.alamofire.error.serialization.request"
    /// The key of the request in ``errorUserInfo``.
    public static let requestKey = "com.alamofire.serialization.request.error.response"

    /// The code's number.
    public var errorCode: Int { self.code.rawValue }
    /// The reason, the request and the cause.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedFailureReasonErrorKey: self.reason]
        if let request { info[Self.requestKey] = request }
        if let cause { info[NSUnderlyingErrorKey] = cause }
        return info
    }
    /// The reason.
    public var failureReason: String? { self.reason }
    /// The reason, and for invalid JSON which value it is.
    public var errorDescription: String? {
        (self.cause as? FormworkError).map { "\(self.reason) (\($0.message))" } ?? self.reason
    }
}
