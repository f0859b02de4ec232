#if Command
import Formwork

/// The formats that an input is recognised by.
enum CaptureKind {
    /// A body, or an HTTP message.
    case none
    case json
    case packets
    case trace
    case flows

    /// In bytes. Captures other than HTTP messages are read whole.
    static let limit = 256 << 20

    /// - Parameter start: The input's first bytes, 16 or more of a longer input.
    init(_ start: [UInt8]) {
        var text = start[...]
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        text = text.drop { $0.isBlank || $0 == 0x0D || $0 == 0x0A }
        if PacketCapture.begins(start) {
            self = .packets
        } else if text.first == UInt8(ascii: "{") {
            self = .json
        } else if CurlTrace.begins(start) {
            self = .trace
        } else if FlowFile.begins(start) {
            self = .flows
        } else {
            self = .none
        }
    }

    /// How many bytes decide, if the input begins with this byte. Only a body's own first bytes are waited for.
    static func wanted(_ first: UInt8?) -> Int {
        switch first {
        case nil, UInt8(ascii: "-"), 0x0D: 1
        default: 64
        }
    }

    /// What errors call it.
    var name: String {
        switch self {
        case .none, .json: "HAR file"
        case .packets: "packet capture"
        case .trace: "curl trace"
        case .flows: "mitmproxy flow file"
        }
    }
}
#endif
