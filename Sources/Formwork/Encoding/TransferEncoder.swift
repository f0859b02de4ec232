/// An encoder for content in pieces of any size.
enum TransferEncoder: Sendable {
    case base64(Base64Encoder)
    case quotedPrintable(QuotedPrintableEncoder)
    /// Only checks bytes; `offset` is the offset of the next byte in the content.
    case sevenBit(offset: Int64, allowsNUL: Bool)

    /// Appends the encoded `input`.
    /// - Throws: ``FormworkError/Code/contentNotEncodable``.
    mutating func encode(
        _ input: [UInt8], isEnd: Bool, into out: inout [UInt8]
    ) throws(FormworkError) {
        switch self {
        case .base64(var encoder):
            encoder.encode(input, isEnd: isEnd, into: &out)
            self = .base64(encoder)
        case .quotedPrintable(var encoder):
            encoder.encode(input, isEnd: isEnd, into: &out)
            self = .quotedPrintable(encoder)
        case .sevenBit(let offset, let allowsNUL):
            if let bad = input.firstIndex(where: { $0 > 0x7F || $0 == 0 && !allowsNUL }) {
                let value = String(input[bad], radix: 16, uppercase: true)
                throw FormworkError(
                    .contentNotEncodable,
                    "7bit can't carry the byte 0x\(input[bad] < 16 ? "0" : "")\(value) at offset "
                        + "\(offset + Int64(bad)) of the content: use base64, quoted-printable or 8bit")
            }
            out.append(contentsOf: input)
            self = .sevenBit(offset: offset + Int64(input.count), allowsNUL: allowsNUL)
        }
    }
}

extension TransferEncoding {
    /// - Throws: ``FormworkError/Code/invalidArgument`` for an invalid line length of base64.
    func check() throws(FormworkError) {
        guard case .base64(let columns?) = self, columns < 4 || columns % 4 != 0 else { return }
        throw FormworkError(
            .invalidArgument, "base64 lines must have a multiple of 4 characters, at least 4, not \(columns)")
    }
}
