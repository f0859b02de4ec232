#if Command
import Formwork

/// The IP packets of a capture file: pcap, with times in microseconds or nanoseconds, or pcapng.
struct PacketReader {
    private let bytes: [UInt8]
    private var index: Int
    private var isLittle: Bool
    private let isNextGeneration: Bool
    /// The link types of the file (one), or of a section's interfaces.
    private var links: [Int] = []

    /// `nil` if the bytes don't begin such a file.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 12 else { return nil }
        self.bytes = bytes
        switch Array(bytes[..<4]) {
        case [0xD4, 0xC3, 0xB2, 0xA1], [0x4D, 0x3C, 0xB2, 0xA1]: (self.isLittle, self.isNextGeneration) = (true, false)
        case [0xA1, 0xB2, 0xC3, 0xD4], [0xA1, 0xB2, 0x3C, 0x4D]: (self.isLittle, self.isNextGeneration) = (false, false)
        case [0x0A, 0x0D, 0x0D, 0x0A]:
            let order = Array(bytes[8..<12])
            guard order == [0x4D, 0x3C, 0x2B, 0x1A] || order == [0x1A, 0x2B, 0x3C, 0x4D] else { return nil }
            (self.isLittle, self.isNextGeneration) = (order[0] == 0x4D, true)
        default: return nil
        }
        self.index = self.isNextGeneration ? 0 : 24
        if !self.isNextGeneration, bytes.count >= 24 { self.links = [self.number(20, 4) & 0xFFFF] }
    }

    /// The next packet from its IP header on; `nil` at the end, or where the file is cut.
    mutating func next() -> ArraySlice<UInt8>? {
        while let (link, frame) = self.isNextGeneration ? self.block() : self.record() {
            if let packet = Self.packet(link, frame) { return packet }
        }
        return nil
    }

    private mutating func record() -> (Int, ArraySlice<UInt8>)? {
        guard self.index + 16 <= self.bytes.count else { return nil }
        let start = self.index + 16
        let count = self.number(self.index + 8, 4)
        guard count <= self.bytes.count - start else { return nil }
        self.index = start + count
        return (self.links.first ?? 1, self.bytes[start..<start + count])
    }

    /// A frame, or an empty one for a block without.
    private mutating func block() -> (Int, ArraySlice<UInt8>)? {
        let start = self.index
        guard start + 12 <= self.bytes.count else { return nil }
        if self.bytes[start..<start + 4].elementsEqual([0x0A, 0x0D, 0x0D, 0x0A]) {
            self.isLittle = self.bytes[start + 8] == 0x4D
            self.links = []
        }
        let (type, length) = (self.number(start, 4), self.number(start + 4, 4))
        guard length >= 12, length <= self.bytes.count - start else { return nil }
        self.index = start + length
        var frame = (link: -1, start: start, count: 0)
        switch type {
        case 1: self.links.append(self.number(start + 8, 2))
        case 6 where length >= 32:
            let interface = self.number(start + 8, 4)
            frame = (
                self.links.indices.contains(interface) ? self.links[interface] : 1, start + 28,
                self.number(start + 20, 4)
            )
        case 3 where length >= 16:
            frame = (self.links.first ?? 1, start + 12, min(self.number(start + 8, 4), length - 16))
        default: break
        }
        guard frame.count <= start + length - frame.start else { return nil }
        return (frame.link, self.bytes[frame.start..<frame.start + frame.count])
    }

    private func number(_ at: Int, _ count: Int) -> Int {
        let field = self.bytes[at..<at + count]
        return (self.isLittle ? Array(field.reversed()) : Array(field)).reduce(0) { $0 << 8 | Int($1) }
    }

    /// Removes the link's header (https://www.tcpdump.org/linktypes.html).
    private static func packet(_ link: Int, _ frame: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        switch link {
        case 0, 108: return frame.dropFirst(4)
        case 1:
            var rest = frame.dropFirst(12)
            // VLAN tags.
            while rest.starts(with: [0x81, 0x00]) || rest.starts(with: [0x88, 0xA8]) { rest = rest.dropFirst(4) }
            return rest.dropFirst(2)
        case 12, 14, 101, 228, 229: return frame
        case 113: return frame.dropFirst(16)
        case 276: return frame.dropFirst(20)
        default: return nil
        }
    }
}
#endif
