import FormworkFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Why a request couldn't be made: as an `NSError` it has AFNetworking's domain, code and keys.
public struct RequestSerializationError: Error, LocalizedError, CustomNSError {
    /// What AFNetworking calls it.
    public var code: URLError.Code
    /// What was wrong, in AFNetworking's words.
    public var reason: String
    /// The request that failed; `nil` where there was none yet.
    public var request: URLRequest?
    /// What the system said, kept whole.
    public var cause: (any Error)?

    static func invalidJSON(_ request: URLRequest) -> Self {
        Self(
            code: .cannotDecodeContentData, reason: "The `parameters` argument is not valid JSON.", request: request)
    }

    static func badURL(_ reason: String, cause: (any Error)? = nil) -> Self {
        Self(code: .badURL, reason: reason, cause: cause)
    }

    /// AFNetworking's domain of errors of requests.
    public static let errorDomain = "com.alamofire.error.serialization.request"
    /// The key of ``errorUserInfo`` under which the request is.
    public static let requestKey = "com.alamofire.serialization.request.error.response"

    /// The code's number.
    public var errorCode: Int { self.code.rawValue }
    /// What is known besides.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedFailureReasonErrorKey: self.reason]
        if let request { info[Self.requestKey] = request }
        if let cause { info[NSUnderlyingErrorKey] = cause }
        return info
    }
    /// What was wrong.
    public var failureReason: String? { self.reason }
    /// What was wrong.
    public var errorDescription: String? { self.reason }
}
