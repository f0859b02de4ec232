/// Why a request was refused before its body was read.
enum RefusalReason: String, Error {
    case badRequest = "bad_request"
    case clientLimit = "client_limit"
    case condition
    case credentials
    case forbidden
    case memory
    case notFound = "not_found"
    case noRoom = "no_room"
    case size
    case stopping
    case timeout
    case tries
    case unavailable
    case unfinishedLimit = "unfinished_limit"
    case unsupported
    case uploadsLimit = "uploads_limit"

    /// The reason that a status shows.
    init(status: Int) {
        self =
            switch status {
            case 401: .credentials
            case 403: .forbidden
            case 404: .notFound
            case 405, 415, 501, 505: .unsupported
            case 408: .timeout
            case 409, 412: .condition
            case 411, 413, 414, 431: .size
            case 429: .tries
            case 507: .noRoom
            case 500...: .unavailable
            default: .badRequest
            }
    }
}
