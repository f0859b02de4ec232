import Foundation
import Formwork
import Synchronization
import TestSupport

/// Takes a body at the other end of a way out.
enum Sink {
    /// Sends the rest of a body by a way, and gives what arrived.
    @discardableResult
    static func drain(_ reader: BodyReader, by way: WayOut, _ folder: TemporaryFolder) throws -> [UInt8] {
        switch way {
        case .reading: return try readAll(reader, by: 30_000)
        case .device:
            let null = try FileDescriptor.open("/dev/null", .writeOnly)
            defer { try? null.close() }
            try reader.write(to: null)
            return []
        case .file:
            let path = folder.path.appending("out")
            try reader.write(toFile: path, replacing: true)
            return try contents(of: path)
        case .pipe:
            let (input, output) = try FileDescriptor.pipe()
            return try self.drain(reader, input, output)
        case .socket:
            let (input, output) = try self.socketPair()
            return try self.drain(reader, input, output)
        }
    }

    static func socketPair() throws -> (FileDescriptor, FileDescriptor) {
        var ends: [Int32] = [0, 0]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
            throw Errno(rawValue: errno)
        }
        return (FileDescriptor(rawValue: ends[0]), FileDescriptor(rawValue: ends[1]))
    }

    /// Reads everything from `input` on a thread of its own.
    static func collect(_ input: FileDescriptor, pausing: Bool = false) -> () -> [UInt8] {
        let collected = Mutex<[UInt8]>([])
        let done = DispatchSemaphore(value: 0)
        let box = Box(collected)
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 100_000)
            while let count = try? unsafe buffer.withUnsafeMutableBytes({ try unsafe input.read(into: $0) }), count > 0
            {
                box.value.withLock { $0 += buffer.prefix(count) }
                if pausing { usleep(500) }
            }
            done.signal()
        }
        return {
            done.wait()
            return box.value.withLock { $0 }
        }
    }

    private final class Box: Sendable {
        let value: Mutex<[UInt8]>
        init(_ value: consuming Mutex<[UInt8]>) { self.value = value }
    }

    private static func drain(
        _ reader: BodyReader, _ input: FileDescriptor, _ output: FileDescriptor
    ) throws -> [UInt8] {
        let collected = self.collect(input)
        defer { try? input.close() }
        do {
            try reader.write(to: output)
        } catch {
            try? output.close()
            _ = collected()
            throw error
        }
        try output.close()
        return collected()
    }
}
