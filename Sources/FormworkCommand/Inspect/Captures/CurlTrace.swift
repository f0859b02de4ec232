import Formwork

/// The requests in a file that `curl --trace FILE` wrote: a hexadecimal dump of what was sent and received.
struct CurlTrace {
    var messages: [CapturedMessage] = []

    /// Whether an input begins with a line of a trace, also with `--trace-time` or `--trace-ids`.
    static func begins(_ start: [UInt8]) -> Bool {
        let line = String(decoding: start.prefix { $0 != 0x0A }, as: UTF8.self)
        return ["== Info: ", "=> Send header", "=> Send data", "=> Send SSL data", "<= Recv "].contains(
            where: line.contains)
            || ["Warning: ", "Note: "].contains(where: line.hasPrefix) && start.contains(0x0A)
                && String(decoding: start, as: UTF8.self).contains("== Info: ")
    }

    /// - Throws: `malformedBody` for a trace without bytes, as `--trace-ascii` writes it.
    init(_ text: [UInt8]) throws(FormworkError) {
        var request: [UInt8] = []
        var isSent = false
        var isInHeader = false
        func finish() {
            if !request.isEmpty {
                self.messages.append(CapturedMessage(number: self.messages.count + 1, bytes: request))
            }
            request = []
        }
        for line in text.split(separator: 0x0A) {
            if let event = Self.event(line) {
                isSent = event == .sendHeader || event == .sendData
                // A head may be written in several pieces. Another request begins after data or an answer.
                if event == .sendHeader, !isInHeader { finish() }
                if event != .other { isInHeader = event == .sendHeader }
            } else if isSent {
                guard let bytes = Self.bytes(of: line) else {
                    throw FormworkError(
                        .malformedBody,
                        "this curl trace has text instead of bytes, as --trace-ascii writes it: repeat it with --trace")
                }
                request += bytes
            }
        }
        finish()
    }

    private enum Event { case sendHeader, sendData, received, other }

    private static func event(_ line: ArraySlice<UInt8>) -> Event? {
        // Times and ids may precede the arrow.
        let text = String(decoding: line.prefix(80), as: UTF8.self)
        guard
            let arrow = ["=> ", "<= ", "== "].compactMap({ text.firstRange(of: $0) }).min(by: {
                $0.lowerBound < $1.lowerBound
            }), text[..<arrow.lowerBound].allSatisfy({ "0123456789:.-[] x".contains($0) }), self.offset(of: line) == nil
        else { return nil }
        let event = text[arrow.lowerBound...]
        if event.hasPrefix("=> Send header") { return .sendHeader }
        if event.hasPrefix("=> Send data") { return .sendData }
        return event.hasPrefix("<= Recv") ? .received : .other
    }

    /// The index after `0040: `; `nil` if the line begins otherwise.
    private static func offset(of line: ArraySlice<UInt8>) -> Int? {
        let digits = line.prefix { $0.hexDigit != nil }
        guard digits.count >= 4, line[digits.endIndex...].starts(with: [0x3A, 0x20]) else { return nil }
        return digits.endIndex + 2
    }

    /// The bytes of `0000: 50 4f 53 54 …`; `nil` for a line that isn't one.
    private static func bytes(of line: ArraySlice<UInt8>) -> [UInt8]? {
        guard var at = self.offset(of: line) else { return nil }
        var bytes: [UInt8] = []
        while bytes.count < 16, at + 2 < line.endIndex, let high = line[at].hexDigit,
            let low = line[at + 1].hexDigit, line[at + 2] == 0x20
        {
            bytes.append(high << 4 | low)
            at += 3
        }
        return bytes.isEmpty ? nil : bytes
    }
}
