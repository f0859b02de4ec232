import Foundation
import Glibc
import Synchronization

/// Hands bytes on to a server on the loopback, and breaks connections on their way.
package final class CuttingRelay: Sendable {
    private struct State {
        var cuts: [Int]
        var lostAnswers: Int
        var cutAnswers: Int
        var broken = 0
    }

    private let listener: LoopbackListener
    private let state: Mutex<State>

    /// - Parameters:
    ///   - target: The server's port.
    ///   - cuts: How many bytes of a client's the first connection that brings so many may bring, and then the next such.
    ///   - lostAnswers: How many of the first answers are lost, with their connections.
    ///   - cutAnswers: How many of the first answers with a JSON object end after its first byte.
    package init(to target: Int, cuts: [Int] = [], lostAnswers: Int = 0, cutAnswers: Int = 0) throws {
        self.state = Mutex(State(cuts: cuts, lostAnswers: lostAnswers, cutAnswers: cutAnswers))
        self.listener = try LoopbackListener()
        self.listener.acceptAll { [weak self] client in
            guard let self else { return }
            let cut = Cut()
            client.relay(to: UInt16(target)) { from, to, isRequest in
                if isRequest { self.passRequests(from, to, cut) } else { self.passAnswers(from, to, cut) }
                // Both ways: neither side gets more.
                shutdown(to.descriptor, CInt(SHUT_RDWR))
                shutdown(from.descriptor, CInt(SHUT_RDWR))
            }
        }
    }

    deinit { self.listener.stop() }

    /// Where clients connect to.
    package var port: Int { Int(self.listener.port) }
    /// Connections that were broken.
    package var brokenCount: Int { self.state.withLock { $0.broken } }

    private func breaks(_ isDue: (inout State) -> Bool) -> Bool {
        self.state.withLock { state in
            guard isDue(&state) else { return false }
            state.broken += 1
            return true
        }
    }

    private func breaks(_ count: WritableKeyPath<State, Int>) -> Bool {
        self.breaks { state in
            guard state[keyPath: count] > 0 else { return false }
            state[keyPath: count] -= 1
            return true
        }
    }

    /// How the two directions of a connection that is cut know of each other.
    private final class Cut: Sendable {
        let isMade = Mutex(false)
        let serverEnded = DispatchSemaphore(value: 0)
    }

    private func passRequests(_ client: LoopbackConnection, _ server: LoopbackConnection, _ cut: Cut) {
        var total = 0
        while case let piece = client.read(), !piece.isEmpty {
            total += piece.count
            let isCut = self.breaks { state in
                guard let cut = state.cuts.first, total >= cut else { return false }
                state.cuts.removeFirst()
                return true
            }
            if isCut { cut.isMade.withLock { $0 = true } }
            let isSent = server.write(bytes: piece)
            if isCut {
                // The server gets what was sent, and then the end. A reset would take what it hasn't read yet, and so would
                // the client's next request, if it came before.
                server.finish()
                _ = cut.serverEnded.wait(timeout: .now() + 5)
            }
            guard isSent, !isCut else { return }
        }
    }

    private func passAnswers(_ server: LoopbackConnection, _ client: LoopbackConnection, _ cut: Cut) {
        defer { cut.serverEnded.signal() }
        while case let piece = server.read(), !piece.isEmpty {
            // The client sees no answer, only the cut.
            if cut.isMade.withLock({ $0 }) { continue }
            if self.breaks(\.lostAnswers) { return }
            let kept = piece.prefix { $0 != UInt8(ascii: "{") }.count + 1
            if kept <= piece.count, self.breaks(\.cutAnswers) {
                client.write(bytes: Array(piece.prefix(kept)))
                return
            }
            guard client.write(bytes: piece) else { return server.waitForEnd() }
        }
    }
}
