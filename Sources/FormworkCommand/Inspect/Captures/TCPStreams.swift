#if Command
import Formwork

/// TCP connections, each direction put together from its packets.
struct TCPStreams {
    /// One direction of one connection.
    struct Stream {
        /// The port that the bytes were sent to.
        let port: Int
        /// The sequence number of the first byte.
        fileprivate let base: UInt32
        fileprivate var segments: [(offset: Int, bytes: ArraySlice<UInt8>)] = []

        /// The bytes up to the first gap, and whether there is one.
        var contiguous: (bytes: [UInt8], hasGap: Bool) {
            var bytes: [UInt8] = []
            for segment in self.segments.sorted(by: { $0.offset < $1.offset }) {
                guard segment.offset <= bytes.count else { return (bytes, true) }
                bytes += segment.bytes.dropFirst(bytes.count - segment.offset)
            }
            return (bytes, false)
        }
    }

    /// In the order in which they began.
    private(set) var all: [Stream] = []
    /// The place in `all` of the latest stream between two addresses and ports.
    private var places: [[UInt8]: Int] = [:]

    /// Adds a packet that begins with an IP header. Others are ignored.
    mutating func take(_ packet: ArraySlice<UInt8>) {
        guard let (addresses, segment) = Self.segment(packet), segment.count >= 20 else { return }
        let at = segment.startIndex
        let key = addresses + segment[at..<at + 4]
        let sequence = segment[(at + 4)..<(at + 8)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let isStart = segment[at + 13] & 0x02 != 0
        let content = segment.dropFirst(Int(segment[at + 12] >> 4) * 4)
        if isStart {
            // The same ports may be used again.
            if let place = self.places[key], self.all[place].base == sequence &+ 1 { return }
            return self.begin(key, Stream(port: Self.number(segment[(at + 2)..<(at + 4)]), base: sequence &+ 1))
        }
        guard !content.isEmpty else { return }
        if self.places[key] == nil {
            self.begin(key, Stream(port: Self.number(segment[(at + 2)..<(at + 4)]), base: sequence))
        }
        guard let place = self.places[key] else { return }
        let offset = Int(Int32(bitPattern: sequence &- self.all[place].base))
        // A keep-alive probe repeats the byte before the next one.
        guard offset >= 0 else { return }
        self.all[place].segments.append((offset, content))
    }

    private mutating func begin(_ key: [UInt8], _ stream: Stream) {
        self.places[key] = self.all.count
        self.all.append(stream)
    }

    /// The addresses, and the TCP segment.
    private static func segment(_ packet: ArraySlice<UInt8>) -> ([UInt8], ArraySlice<UInt8>)? {
        let at = packet.startIndex
        switch packet.first.map({ $0 >> 4 }) {
        case 4?:
            let headerCount = Int(packet[at] & 0x0F) * 4
            guard headerCount >= 20, packet.count >= headerCount, packet[at + 9] == 6 else { return nil }
            // A fragment after the first has no TCP header.
            guard packet[at + 6] & 0x1F == 0, packet[at + 7] == 0 else { return nil }
            let total = self.number(packet[(at + 2)..<(at + 4)])
            // A segment that the kernel had not cut yet may have no length.
            let end = total >= headerCount ? min(total, packet.count) : packet.count
            return (Array(packet[(at + 12)..<(at + 20)]), packet[(at + headerCount)..<(at + end)])
        case 6?:
            guard packet.count >= 40 else { return nil }
            var (next, place) = (packet[at + 6], at + 40)
            while [0, 43, 60].contains(next), place + 8 <= packet.endIndex {
                (next, place) = (packet[place], place + 8 + Int(packet[place + 1]) * 8)
            }
            guard next == 6, place <= packet.endIndex else { return nil }
            let length = self.number(packet[(at + 4)..<(at + 6)])
            let end = length > 0 ? min(at + 40 + length, packet.endIndex) : packet.endIndex
            guard place <= end else { return nil }
            return (Array(packet[(at + 8)..<(at + 40)]), packet[place..<end])
        default: return nil
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
#endif
