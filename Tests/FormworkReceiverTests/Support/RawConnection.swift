import Foundation
import TestSupport

/// A TCP connection to loopback, byte by byte; calls that block do so on a thread of its own.
final class RawConnection: Sendable {
    private let connection: LoopbackConnection

    /// - Parameter address: One of this machine's own, by default 127.0.0.1.
    init(port: Int, address: UInt32 = 0x7F00_0001) throws {
        self.connection = try LoopbackConnection(to: UInt16(port), at: address)
    }

    /// Sends a whole text; a peer that is gone is ignored.
    func send(_ text: String) async { await self.send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async { _ = await self.blocking { $0.write(bytes: bytes) } }

    /// Everything up to, and with, a text, or up to the connection's end.
    func receive(until end: String) async -> String {
        await self.blocking { String(decoding: $0.read(through: end), as: UTF8.self) }
    }

    /// Everything until the peer closes.
    func receiveAll() async -> String { await self.blocking { $0.readText() } }

    /// The bytes that have already arrived; `nil` once the peer has closed.
    func receiveAvailable() async -> String? {
        await self.blocking { $0.readAvailable().map { String(decoding: $0, as: UTF8.self) } }
    }

    /// Sends no more, and still receives.
    func finishSending() async { await self.blocking { $0.finish() } }

    /// Goes away without a word.
    func cut() async { await self.blocking { $0.cut() } }

    private func blocking<Result: Sendable>(
        _ work: @escaping @Sendable (LoopbackConnection) -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            // Not on a queue: those share their threads with the tasks that this one waits for.
            Thread.detachNewThread { continuation.resume(returning: work(self.connection)) }
        }
    }
}
