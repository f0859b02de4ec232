#if Transfer
import Formwork
import Logging
import ServiceLifecycle

/// Sweeps a store now and then: an abort that failed, or an answer that was lost to the request that began an upload,
/// would have a name taken until the next start.
package struct S3Sweeper: Service {
    private let storage: S3Storage
    private let age: Duration
    private let pause: Duration

    /// - Parameters:
    ///   - age: How long nothing may have come of an upload.
    ///   - pause: Between two sweeps; as long as the age, but a minute at least and an hour at most, unless said.
    package init(_ storage: S3Storage, olderThan age: Duration, pause: Duration? = nil) {
        (self.storage, self.age) = (storage, age)
        self.pause = pause ?? min(max(age, .seconds(60)), .seconds(3600))
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: self.pause.asWait)) != nil {
                do { try await self.storage.sweep(olderThan: self.age) } catch {
                    guard !Task.isCancelled else { return }
                    self.storage.logger.warning(
                        "what is left in the object store can't be looked for",
                        metadata: ["error": "\("\(error)".withControlCharactersEscaped)"])
                }
            }
        }
    }
}
#endif
