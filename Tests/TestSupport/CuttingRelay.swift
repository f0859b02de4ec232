import Foundation
import Synchronization
import Glibc

/// Hands bytes on to a server on the loopback, and breaks connections on their way.
package final class CuttingRelay: @unchecked Sendable {
    private let target: Int
    private let listener: LoopbackListener
    private let lock = NSLock()
    private var cuts: [Int]
    private var lostAnswers: Int
    private var cutAnswers: Int
    private var broken = 0

    /// - Parameters:
    ///   - target: The server's port.
    ///   - cuts: How many bytes of a client's the first connection that brings so many may bring, and then the next such.
    ///   - lostAnswers: How many of the first answers are lost, with their connections.
    ///   - cutAnswers: How many of the first answers with a JSON object end after its first byte.
    package init(to target: Int, cuts: [Int] = [], lostAnswers: Int = 0, cutAnswers: Int = 0) throws {
        (self.target, self.cuts, self.lostAnswers, self.cutAnswers) = (target, cuts, lostAnswers, cutAnswers)
        self.listener = try LoopbackListener()
        self.listener.acceptAll { [weak self] client in
            guard let self else {
                close(client)
                return
            }
            self.relay(client)
        }
    }

    deinit { self.listener.stop() }

    /// Where clients connect to.
    package var port: Int { Int(self.listener.port) }
    /// Connections that were broken.
    package var brokenCount: Int { self.lock.withLock { self.broken } }

    private func relay(_ client: CInt) {
        guard let server = try? connect(toLoopback: UInt16(self.target)) else {
            close(client)
            return
        }
        let ends = DispatchGroup()
        let cut = Cut()
        for (from, to, isRequest) in [(client, server, true), (server, client, false)] {
            ends.enter()
            Thread.detachNewThread {
                self.pump(from, to, isRequest, cut)
                ends.leave()
            }
        }
        ends.notify(queue: .global()) {
            close(client)
            close(server)
        }
    }

    private func losesAnswer() -> Bool {
        self.lock.withLock {
            guard self.lostAnswers > 0 else { return false }
            self.lostAnswers -= 1
            self.broken += 1
            return true
        }
    }

    /// How many bytes of an answer's piece are sent on before the connection is cut; `nil` for all.
    private func cutsAnswer(_ piece: some Collection<UInt8>) -> Int? {
        let kept = piece.prefix { $0 != UInt8(ascii: "{") }.count + 1
        guard kept <= piece.count else { return nil }
        return self.lock.withLock {
            guard self.cutAnswers > 0 else { return nil }
            self.cutAnswers -= 1
            self.broken += 1
            return kept
        }
    }

    /// How the two directions of a connection that is cut know of each other.
    private final class Cut: Sendable {
        let isMade = Mutex(false)
        let serverEnded = DispatchSemaphore(value: 0)
    }

    private func pump(_ from: CInt, _ to: CInt, _ isRequest: Bool, _ cut: Cut) {
        defer { if !isRequest { cut.serverEnded.signal() } }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var total = 0
        while true {
            let count = recv(from, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            total += count
            // The client sees no answer, only the cut.
            if !isRequest, cut.isMade.withLock({ $0 }) { continue }
            if !isRequest, self.losesAnswer() { break }
            if !isRequest, let kept = self.cutsAnswer(buffer[..<count]) {
                send(to, buffer, kept, CInt(MSG_NOSIGNAL))
                break
            }
            let isCut =
                isRequest
                && self.lock.withLock {
                    guard let cut = self.cuts.first, total >= cut else { return false }
                    self.cuts.removeFirst()
                    self.broken += 1
                    return true
                }
            if isCut { cut.isMade.withLock { $0 = true } }
            let isSent = send(to, buffer, count, CInt(MSG_NOSIGNAL)) == count
            if isCut {
                // The server gets what was sent, and then the end. A reset would take what it hasn't read yet, and so would
                // the client's next request, if it came before.
                shutdown(to, CInt(SHUT_WR))
                _ = cut.serverEnded.wait(timeout: .now() + 5)
                shutdown(from, CInt(SHUT_RDWR))
                return
            }
            guard isSent else {
                if !isRequest { while recv(from, &buffer, buffer.count, 0) > 0 {} }
                break
            }
        }
        // Both ways: neither side gets more.
        shutdown(to, CInt(SHUT_RDWR))
        shutdown(from, CInt(SHUT_RDWR))
    }
}
