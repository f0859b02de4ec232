import CFormworkSockets
import FormworkCore
import SystemPackage

// The only unsafe code of this module: sockets of this machine, with each call retried after EINTR.

/// Why a connection ended before its exchange.
enum ConnectionEnd: Error {
    /// The client closed or reset it.
    case peer
    /// The receiver was closed.
    case receiver
}

/// The two ends of a pipe. Closing one of them wakes all waiting calls.
struct StopSignal: Sendable {
    let waiting: FileDescriptor
    let closing: FileDescriptor

    init() throws(Errno) {
        // Not FileDescriptor.pipe(): a child process that inherits the closing end would keep the receiver open.
        var ends: (CInt, CInt) = (-1, -1)
        // SAFETY: two numbers that live through the call.
        let result = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
            unsafe fw_stop_pipe(bytes.assumingMemoryBound(to: CInt.self).baseAddress)
        }
        guard result == 0 else { throw Errno(rawValue: -result) }
        (self.waiting, self.closing) = (FileDescriptor(rawValue: ends.0), FileDescriptor(rawValue: ends.1))
    }
}

/// One end of a connection, closed with the value.
struct LoopbackSocket: ~Copyable {
    private let descriptor: CInt
    private let stop: CInt
    /// The port it listens on; 0 for a connection.
    let port: UInt16

    private init(_ descriptor: CInt, _ stop: CInt, port: UInt16 = 0) {
        (self.descriptor, self.stop, self.port) = (descriptor, stop, port)
    }

    deinit { try? FileDescriptor(rawValue: self.descriptor).close() }

    /// Listens on a free port.
    static func listening(until stop: StopSignal) throws(Errno) -> LoopbackSocket {
        var port: UInt16 = 0
        // SAFETY: the number lives through the call.
        let descriptor = unsafe fw_listen(&port)
        guard descriptor >= 0 else { throw Errno(rawValue: -descriptor) }
        return LoopbackSocket(descriptor, stop.waiting.rawValue, port: port)
    }

    /// The next connection; `nil` if the receiver was closed.
    func accept() throws(Errno) -> LoopbackSocket? {
        while true {
            let ready = fw_wait_readable(self.descriptor, self.stop)
            if ready == 0 { return nil }
            let descriptor = ready < 0 ? ready : fw_accept(self.descriptor)
            if descriptor >= 0 { return LoopbackSocket(descriptor, self.stop) }
            // A client that disconnected before it was accepted is not the listener's fault.
            switch Errno(rawValue: -descriptor) {
            case .interrupted, .connectionAbort, .wouldBlock: continue
            case let error: throw error
            }
        }
    }

    /// Receives bytes into `buffer`, from an offset.
    /// - Returns: The number of bytes; 0 at the end.
    func receive(into buffer: inout [UInt8], from offset: Int) throws(ConnectionEnd) -> Int {
        while true {
            try Self.check(fw_wait_readable(self.descriptor, self.stop))
            // SAFETY: the kernel writes into the buffer's own storage, after the offset, which the slice checks.
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[offset...])
                return unsafe fw_receive(self.descriptor, room.baseAddress, room.count)
            }
            if count >= 0 { return count }
            try Self.check(CInt(clamping: count))
        }
    }

    /// Sends all of the bytes.
    func send(_ bytes: [UInt8]) throws(ConnectionEnd) {
        var sent = 0
        while sent < bytes.count {
            try Self.check(fw_wait_writable(self.descriptor, self.stop))
            // SAFETY: the bytes live through the call, and the slice checks the offset.
            let count = unsafe bytes.withUnsafeBytes { all in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: all[sent...])
                return unsafe fw_send(self.descriptor, rest.baseAddress, rest.count)
            }
            if count < 0 { try Self.check(CInt(clamping: count)) } else { sent += count }
        }
    }

    /// Closes the sending side.
    func finish() { _ = fw_finish(self.descriptor) }

    /// Makes closing a reset.
    func resetOnClose() { _ = fw_reset_on_close(self.descriptor) }

    /// Waits until the client is gone or the receiver is closed, without reading anything.
    func waitUntilGone() {
        while fw_wait_gone(self.descriptor, self.stop) == -Errno.interrupted.rawValue {}
    }

    /// Checks the result of a kernel call; returns if the call can be repeated.
    private static func check(_ result: CInt) throws(ConnectionEnd) {
        if result == 0 { throw .receiver }
        guard result < 0 else { return }
        switch Errno(rawValue: -result) {
        case .interrupted, .wouldBlock: return
        default: throw .peer
        }
    }
}
