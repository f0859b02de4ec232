import Foundation
import Synchronization
import TestSupport

/// Passes connections on to a port of the loopback, and flips one bit of what the first long one brings.
final class FlippingRelay: Sendable {
    private let flips = Mutex(0)
    private let listener: LoopbackListener

    /// - Parameters:
    ///   - offset: The byte to change, counted in one connection.
    ///   - address: The file with the server's URL, as `receive` prints it. A port that was chosen before may be taken since.
    init(flippingAt offset: Int, to address: String) throws {
        self.listener = try LoopbackListener()
        self.listener.acceptAll { [weak self] client in
            let url = try? String(contentsOfFile: address, encoding: .utf8).split(separator: "\n").first
            client.relay(to: UInt16(url.flatMap { URL(string: "\($0)")?.port } ?? 0)) {
                [weak self] from, to, isRequest in
                var position = 0
                from.copy(to: to) { piece in
                    let place = offset - position
                    position += piece.count
                    if isRequest, piece.indices.contains(place), self?.isFirst() ?? false { piece[place] ^= 1 }
                }
            }
        }
    }

    deinit { self.listener.stop() }

    var port: UInt16 { self.listener.port }
    /// How many bits were flipped.
    var count: Int { self.flips.withLock { $0 } }

    private func isFirst() -> Bool {
        self.flips.withLock { flips in
            flips += 1
            return flips == 1
        }
    }
}
