#if Hummingbird
import Formwork
import FormworkHTTP
import HTTPTypes
import Hummingbird
import Logging
import NIOHTTP1

/// Answers every error of the routes behind it by ``ProblemDetails``, so that clients read one format: `HTTPError` by its
/// status and message, an error that makes its own answer by that, and anything else by 500, which tells nothing and is
/// logged, as every answer of 500 and above is, once.
///
/// The errors of this package need none: they are answered so by themselves.
///
/// ```
/// router.add(middleware: ProblemDetailsMiddleware())
/// ```
public struct ProblemDetailsMiddleware<Context: RequestContext>: RouterMiddleware {
    /// A middleware without options.
    public init() {}

    /// Makes answers of errors.
    /// - Throws: `HTTPParserError` alone, which Hummingbird answers itself.
    public func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError {
            if error.status.code >= 500 { context.logger.failed(request, error.status.code, error) }
            var response = ProblemDetails(error.status, detail: error.body).response
            for field in error.headers where field.name != .contentType && field.name != .contentLength {
                response.headers.append(field)
            }
            return response
        } catch let error as any HTTPResponseError {
            let response = try error.response(from: request, context: context)
            // This package's own log themselves.
            if response.status.code >= 500, !(error is FormworkError || error is RequestProblem) {
                context.logger.failed(request, response.status.code, error)
            }
            return response
        } catch let error as HTTPParserError {
            throw error
        } catch {
            context.logger.failed(request, 500, error)
            return ProblemDetails(.internalServerError).response
        }
    }
}
#endif
