import TestSupport

/// The frames that a client sends after its preface (RFC 9113 section 4.1).
struct Frames {
    typealias Frame = (count: Int, type: Int, flags: Int)

    private let connection: LoopbackConnection
    private var bytes: ArraySlice<UInt8> = []

    init(_ connection: LoopbackConnection) {
        self.connection = connection
        _ = self.take(24)
    }

    /// Reads so many bytes of the body, and what comes between.
    mutating func waitForBody(of count: Int) {
        var rest = count
        while rest > 0 {
            let frame = self.wait { $0.type == 0 || $0.type == -1 }
            guard frame.type == 0 else { return }
            rest -= frame.count
        }
    }

    /// The next frame like that.
    @discardableResult
    mutating func wait(for isWanted: (Frame) -> Bool) -> Frame {
        while true {
            let head = self.take(9).map { Int($0) }
            guard head.count == 9 else { return (-1, -1, -1) }
            let frame: Frame = (head[0] << 16 | head[1] << 8 | head[2], head[3], head[4])
            _ = self.take(frame.count)
            if isWanted(frame) { return frame }
        }
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8> {
        while self.bytes.count < count {
            let more = self.connection.read()
            if more.isEmpty { return [] }
            self.bytes += more
        }
        defer { self.bytes = self.bytes.dropFirst(count) }
        return self.bytes.prefix(count)
    }
}
