#if Transfer
import Formwork
import Logging
import ServiceLifecycle

/// Sweeps a store regularly. If an abort failed, or the answer to the request that began an upload was lost, the name
/// would otherwise stay taken until the next start.
package struct S3Sweeper: Service {
    private let storage: S3Storage
    private let age: Duration
    private let pause: Duration
    private let also: @Sendable () async throws -> Void

    /// - Parameters:
    ///   - age: How long an upload must have been without a new part.
    ///   - pause: The time between two sweeps. By default the age, at least a minute and at most an hour.
    ///   - also: Called with each sweep, for what else may have been left.
    package init(
        _ storage: S3Storage, olderThan age: Duration, pause: Duration? = nil,
        also: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.also = also
        (self.storage, self.age) = (storage, age)
        self.pause = pause ?? min(max(age, .seconds(60)), .seconds(3600))
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: self.pause.asWait)) != nil {
                do {
                    try await self.storage.sweep(olderThan: self.age)
                    try await self.also()
                } catch {
                    guard !Task.isCancelled else { return }
                    self.storage.logger.warning(
                        "can't look for uploads left in the object store",
                        metadata: ["error": "\("\(error)".withControlCharactersEscaped)"])
                }
            }
        }
    }
}
#endif
