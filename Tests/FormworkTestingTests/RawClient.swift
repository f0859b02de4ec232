import Foundation
import Glibc
import TestSupport

/// A client that sends what it is given, and says what it got.
final class RawClient {
    struct Refused: Error { var reason: Int32 }

    private var descriptor: Int32
    /// Why ``receiveAll()`` stopped; 0 at the end of what was sent.
    private(set) var lastError: Int32 = 0

    init(_ url: URL) throws {
        do {
            self.descriptor = try connect(toLoopback: UInt16(url.port ?? 0))
        } catch {
            throw Refused(reason: error.code.rawValue)
        }
    }

    deinit { self.close() }

    func close() {
        if self.descriptor >= 0 { _ = Glibc.close(self.descriptor) }
        self.descriptor = -1
    }

    func send(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Glibc.send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Says that nothing more is sent.
    func finish() { shutdown(self.descriptor, Int32(SHUT_WR)) }

    /// A process that inherits every descriptor it can, and sleeps until it is killed.
    static func startSleeping() throws -> pid_t {
        var pid: pid_t = 0
        let arguments = [strdup("sleep"), strdup("1000"), nil]
        defer { for argument in arguments { free(argument) } }
        let result = posix_spawnp(&pid, "sleep", nil, nil, arguments, nil)
        guard result == 0 else { throw Refused(reason: result) }
        return pid
    }

    /// Whether something is there to be received, the end too.
    var isReadable: Bool {
        var wanted = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, 0) > 0
    }

    func receive(upTo limit: Int) -> String {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while all.count < limit {
            let count = recv(self.descriptor, &buffer, min(buffer.count, limit - all.count), 0)
            self.lastError = count < 0 ? errno : 0
            guard count > 0 else { break }
            all += buffer[..<count]
        }
        return String(decoding: all, as: UTF8.self)
    }

    func receiveAll() -> String { self.receive(upTo: .max) }
}
