import Formwork
import Hummingbird
import Synchronization

/// Keeps a request's form after it was first collected or decoded, for the handlers that follow: a middleware that
/// checks a token reads the form, and the route reads it again, whole or part by part.
///
/// The form is kept until its request is answered, with large files on disk. The first call's limits apply to the whole
/// form; those of a later `formParts` apply to its parts too. A form that was first read part by part isn't kept.
/// Without this middleware, reading a body a second time is an error that says so.
///
/// ```swift
/// router.add(middleware: KeptFormMiddleware())
/// ```
public struct KeptFormMiddleware<Context: RequestContext>: RouterMiddleware {
    /// Creates the middleware, which has no options.
    public init() {}

    /// Lets the handlers share the form that one of them collects.
    /// - Throws: Their errors.
    public func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        try await KeptForm.$current.withValue(KeptForm()) { try await next(request, context) }
    }
}

/// The form of the request that the current task handles.
final class KeptForm: Sendable {
    @TaskLocal static var current: KeptForm?

    private let form = Mutex<ReceivedForm?>(nil)

    /// The form; `nil` until one was collected.
    var value: ReceivedForm? { self.form.withLock { $0 } }

    /// Keeps a form for the handlers that follow.
    func keep(_ form: ReceivedForm) { self.form.withLock { $0 = form } }
}
