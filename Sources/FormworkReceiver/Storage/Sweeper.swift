import FormworkCore
import ServiceLifecycle

/// Looks regularly for what killed receivers have left in a storage. The next one that starts would find it, too, but it may
/// be another machine's.
struct Sweeper: Service {
    let firstPause: Duration
    /// Looks once.
    /// - Returns: The pause before the next time.
    let sweep: @Sendable () async -> Duration

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var pause = self.firstPause
            while (try? await Task.sleep(for: pause.asWait)) != nil { pause = await self.sweep() }
        }
    }
}
