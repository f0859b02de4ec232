import FormworkCore

extension ReceivedForm {
    /// The form as a body again: each part's header section as it was received, then its content.
    /// - Parameter boundary: The boundary that the form was received with. So no content contains a delimiter.
    package func body(between boundary: some Sequence<UInt8>) throws(FormworkError) -> BodyPlan {
        let delimiter = Array("--".utf8) + boundary
        let lineEnd: [UInt8] = [0x0D, 0x0A]
        var pieces: [BodySource] = []
        var framing: [UInt8] = []
        for entry in self {
            framing += delimiter + lineEnd + entry.header.bytes + lineEnd
            pieces += [.bytes(framing), entry.content.source]
            framing = lineEnd
        }
        pieces.append(.bytes(framing + delimiter + Array("--\r\n".utf8)))
        return try BodyPlan(copying: .concatenation(pieces))
    }
}
