import Foundation
import TestSupport

/// Passes connections on to a port of the loopback, and flips one bit of what the first long one brings.
final class FlippingRelay: @unchecked Sendable {
    // SAFETY: the lock guards it.
    private let lock = NSLock()
    private var flips = 0
    private let listener: LoopbackListener
    private let offset: Int

    /// - Parameters:
    ///   - offset: The byte to change, counted in one connection.
    ///   - address: The file with the server's URL, as `receive` prints it. A port that was chosen before may be taken since.
    init(flippingAt offset: Int, to address: String) throws {
        self.offset = offset
        self.listener = try LoopbackListener()
        self.listener.acceptAll { [weak self] client in
            guard let relay = self else {
                close(client)
                return
            }
            let url = try? String(contentsOfFile: address, encoding: .utf8).split(separator: "\n").first
            Thread.detachNewThread { relay.relay(client, to: UInt16(url.flatMap { URL(string: "\($0)")?.port } ?? 0)) }
        }
    }

    deinit { self.listener.stop() }

    var port: UInt16 { self.listener.port }
    /// How many bits were flipped.
    var count: Int { self.lock.withLock { self.flips } }

    private func relay(_ client: Int32, to target: UInt16) {
        defer { close(client) }
        guard let server = try? connect(toLoopback: target) else { return }
        let back = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            self.copy(server, client, flips: false)
            back.signal()
        }
        self.copy(client, server, flips: true)
        back.wait()
        close(server)
    }

    private func copy(_ source: Int32, _ sink: Int32, flips: Bool) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var position = 0
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            if count <= 0 { break }
            if flips, (position..<position + count).contains(self.offset), self.isFirst() {
                buffer[self.offset - position] ^= 1
            }
            position += count
            var sent = 0
            while sent < count {
                let more = buffer[sent..<count].withUnsafeBytes {
                    send(sink, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if more <= 0 { return }
                sent += more
            }
        }
        shutdown(sink, Int32(SHUT_WR))
    }

    private func isFirst() -> Bool {
        self.lock.withLock {
            self.flips += 1
            return self.flips == 1
        }
    }
}
