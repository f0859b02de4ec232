#if Command
import Formwork

/// The HTTP/1.1 requests in a packet capture (pcap or pcapng), from TCP connections put together again.
struct PacketCapture {
    private(set) var messages: [CapturedMessage] = []
    /// Ports of connections that begin with a TLS handshake.
    private(set) var securePorts: Set<Int> = []
    private(set) var hasHTTP2 = false

    static func begins(_ start: [UInt8]) -> Bool { PacketReader(start) != nil }

    /// - Throws: `malformedBody` for a capture without a plain HTTP/1.1 request.
    init(_ bytes: [UInt8], name: String) throws(FormworkError) {
        guard var reader = PacketReader(bytes) else {
            throw FormworkError(.malformedBody, "is not a packet capture")
        }
        var streams = TCPStreams()
        while let packet = reader.next() { streams.take(packet) }
        for stream in streams.all { self.read(stream) }
        guard self.messages.isEmpty else { return }
        let file = ShellQuote.quote(name)
        let reason: String
        if let port = self.securePorts.min() {
            reason =
                "it has TLS to port \(port), which 'tshark -r \(file) -o tls.keylog_file:KEYS -z follow,http,raw,0' "
                + "decrypts with the keys of SSLKEYLOGFILE"
        } else if self.hasHTTP2 {
            reason = "it has HTTP/2, which 'tshark -r \(file) -z follow,http2,raw,0,1' shows"
        } else {
            reason = "'tshark -r \(file)' lists what it has"
        }
        throw FormworkError(.malformedBody, "this packet capture has no plain HTTP/1.1 request: \(reason)")
    }

    private mutating func read(_ stream: TCPStreams.Stream) {
        let (bytes, gap) = stream.contiguous
        if bytes.starts(with: [0x16, 0x03]) { self.securePorts.insert(stream.port) }
        if bytes.starts(with: "PRI * HTTP/2.0\r\n".utf8) {
            self.hasHTTP2 = true
            return
        }
        var start = 0
        while let head = RequestHead(bytes, from: start) {
            let end = head.end(in: bytes)
            var message = CapturedMessage(
                number: self.messages.count + 1, bytes: Array(bytes[start..<min(end ?? bytes.count, bytes.count)]))
            if end.map({ $0 > bytes.count }) ?? true, gap {
                message.damage = "packets are missing from the capture: capture whole ones, with tcpdump -s 0"
            }
            self.messages.append(message)
            guard let end, end < bytes.count else { return }
            start = end
        }
    }
}

/// Where a request in a stream ends.
private struct RequestHead {
    private let bodyStart: Int
    private var length: Int?
    private var isChunked = false

    /// `nil` if no request begins there.
    init?(_ bytes: [UInt8], from start: Int) {
        let rest = bytes[start...]
        let line = rest.prefix(16 << 10).prefix { $0 != 0x0A }
        let words = line.split(separator: 0x20)
        guard words.count == 3, words[2].starts(with: "HTTP/1.".utf8),
            words[0].allSatisfy({ (0x41...0x5A).contains($0) || $0 == 0x2D }),
            let end = rest.firstRange(of: Array("\r\n\r\n".utf8))
        else { return nil }
        self.bodyStart = end.upperBound
        let head = String(decoding: bytes[start..<end.lowerBound], as: UTF8.self)
        for line in head.unicodeScalars.split(separator: "\n").dropFirst() {
            let words = String(line).split(separator: ":", maxSplits: 1)
            guard words.count == 2 else { continue }
            let value = words[1].filter { !$0.isWhitespace }.lowercased()
            switch words[0].lowercased() {
            case "content-length": self.length = Int(value)
            case "transfer-encoding": self.isChunked = value.hasSuffix("chunked")
            default: break
            }
        }
    }

    /// The index after the request; `nil` if it isn't known.
    func end(in bytes: [UInt8]) -> Int? {
        guard self.isChunked else {
            let (end, isBeyond) = self.bodyStart.addingReportingOverflow(max(0, self.length ?? 0))
            return isBeyond ? nil : end
        }
        var at = self.bodyStart
        while let lf = bytes[min(at, bytes.count)...].firstIndex(of: 0x0A) {
            let digits = String(decoding: bytes[at..<lf].prefix { $0 != 0x3B && $0 != 0x0D }, as: UTF8.self)
            guard let size = Int(digits, radix: 16), size >= 0, size <= bytes.count - lf else { return nil }
            guard size == 0 else {
                at = lf + 1 + size + 2
                if at > bytes.count { return nil }
                continue
            }
            // Trailers end with an empty line.
            return bytes[(lf - 1)...].firstRange(of: Array("\r\n\r\n".utf8))?.upperBound
        }
        return nil
    }
}
#endif
