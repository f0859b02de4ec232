#if Hummingbird
import Formwork
import Hummingbird
import Synchronization

/// Keeps the form of a request that was collected or decoded, for the handlers after the one that did it: a check
/// of a token reads the form, and the route reads it again.
///
/// A form is kept as it was collected, large files on disk, until its request is answered. The limits are those of
/// the first call. Without this middleware a body that is read a second time is an error that says so.
///
/// ```
/// router.add(middleware: KeptFormMiddleware())
/// ```
public struct KeptFormMiddleware<Context: RequestContext>: RouterMiddleware {
    /// A middleware without options.
    public init() {}

    /// Lets the handlers share what one of them collects.
    /// - Throws: What they throw.
    public func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        try await KeptForm.$current.withValue(KeptForm()) { try await next(request, context) }
    }
}

/// The form of the request that a task handles.
final class KeptForm: Sendable {
    @TaskLocal static var current: KeptForm?

    private let form = Mutex<ReceivedForm?>(nil)

    /// The form that was kept, or the one that is collected now.
    static func form(collecting: () async throws -> ReceivedForm) async throws -> ReceivedForm {
        if let kept = self.current?.form.withLock({ $0 }) { return kept }
        let form = try await collecting()
        self.current?.form.withLock { $0 = form }
        return form
    }
}
#endif
