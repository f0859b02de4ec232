#if Transfer
import FormworkCore
import FormworkSystem
import NIOCore
import NIOPosix

extension ServiceManager {
    /// Reports to the manager that this process works, as often as it asks for that, until the task is cancelled. Each event loop
    /// has answered before: one that is stuck leaves its connections without answers.
    func keepAlive() async {
        guard let watchdog else { return }
        while !Task.isCancelled {
            for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { try? await loop.submit {}.get() }
            self.notify(.alive)
            try? await Task.sleep(for: (watchdog / 3).asWait)
        }
    }
}
#endif
