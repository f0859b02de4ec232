import Formwork

/// The formats that an input is recognised by.
enum CaptureKind {
    /// A body, or an HTTP message.
    case none
    case json
    case trace
    /// A format that another program makes a readable one of; what it is, and how.
    case foreign(String)

    /// In bytes. Captures other than HTTP messages are read whole.
    static let limit = 256 << 20

    /// - Parameter start: The input's first bytes, 16 or more of a longer input.
    init(_ start: [UInt8]) {
        var text = start[...]
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        text = text.drop { $0.isBlank || $0 == 0x0D || $0 == 0x0A }
        if Self.packetFiles.contains(where: start.starts) {
            self = .foreign(
                "is a packet capture: tshark -q -r FILE --export-objects http,FOLDER writes the bodies to files")
        } else if text.first == UInt8(ascii: "{") {
            self = .json
        } else if CurlTrace.begins(start) {
            self = .trace
        } else if String(decoding: start, as: UTF8.self).prefixMatch(of: #/[0-9]+:[0-9]+:[a-z_]+[;,]/#) != nil {
            self = .foreign("is a mitmproxy flow file: mitmdump -nr FILE --set hardump=FILE.har makes a HAR file of it")
        } else if ["*   Trying ", "* Host ", "> POST ", "> PUT "].contains(where: { start.starts(with: $0.utf8) }) {
            self = .foreign("looks like the output of curl -v, which has no bodies: curl --trace FILE saves them")
        } else {
            self = .none
        }
    }

    /// What pcap (in either byte order, with micro- or nanoseconds) and pcapng begin with.
    private static let packetFiles: [[UInt8]] = [
        [0xD4, 0xC3, 0xB2, 0xA1], [0x4D, 0x3C, 0xB2, 0xA1], [0xA1, 0xB2, 0xC3, 0xD4], [0xA1, 0xB2, 0x3C, 0x4D],
        [0x0A, 0x0D, 0x0D, 0x0A],
    ]

    /// How many bytes decide, if the input begins with this byte. Only a body's own first bytes are waited for.
    static func wanted(_ first: UInt8?) -> Int {
        switch first {
        case nil, UInt8(ascii: "-"), 0x0D: 1
        default: 64
        }
    }
}
