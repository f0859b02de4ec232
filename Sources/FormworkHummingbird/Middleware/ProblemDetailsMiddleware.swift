import Formwork
import FormworkHTTP
import HTTPTypes
import Hummingbird
import Logging
import NIOHTTP1

/// Answers every error of the routes after it with ``ProblemDetails``, so that clients read one format. `HTTPError`
/// keeps its status and message, and an error with its own response keeps that. Any other error becomes 500 without
/// details. Every answer of 500 and above is logged as an error, once, and every other one for
/// debugging, as is a request that was cancelled.
///
/// The errors of this package don't need it: they already have such answers.
///
/// ```swift
/// router.add(middleware: ProblemDetailsMiddleware())
/// ```
public struct ProblemDetailsMiddleware<Context: RequestContext>: RouterMiddleware {
    /// Creates the middleware, which has no options.
    public init() {}

    /// Turns errors into answers.
    /// - Throws: Only `HTTPParserError`, which Hummingbird answers itself.
    public func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError {
            context.logger.answered(request, error.status.code, error)
            var response = ProblemDetails(error.status, detail: error.body).response
            for field in error.headers where field.name != .contentType && field.name != .contentLength {
                response.headers.append(field)
            }
            return response
        } catch let error as any HTTPResponseError {
            let response = try error.response(from: request, context: context)
            // This package's own errors log themselves.
            if !(error is FormworkError || error is RequestProblem) {
                context.logger.answered(request, response.status.code, error)
            }
            return response
        } catch let error as HTTPParserError {
            throw error
        } catch {
            context.logger.answered(request, 500, error)
            return ProblemDetails(.internalServerError).response
        }
    }
}
