@testable import Formwork

/// Content in a transfer encoding, decoded again.
///
/// The first byte chooses the encoding, the second how the content comes; the rest is the content.
func fuzzEncodings(_ input: [UInt8]) {
    guard input.count >= 2 else { return }
    let (choice, way) = (input[0], input[1])
    var dice = Dice(input)
    var content = Array(input[2...])
    // Longer than the encoders' pieces and the distance of quoted-printable's marks; rare, because it's slow.
    let isLong = way == 0x7E && !content.isEmpty && dice.roll(200) == 0
    while isLong, content.count < 260 << 10 { content += content }
    let encoding: TransferEncoding =
        switch choice % 8 {
        case 0: .base64()
        case 1: .base64(columns: nil)
        case 2: .base64(columns: 4 * (1 + Int(choice / 8)))
        case 3: .quotedPrintable(isMeasured: true)
        case 4: .quotedPrintable()
        case 5: .sevenBit()
        case 6: .sevenBit(allowsNUL: true)
        default: .base64(columns: Int(choice / 8) - 8)
        }

    var form = FormData()
    form.append(BodyPart(header: PartHeader(transferEncoding: encoding), source: source(content, way, &dice)))
    form.append(name: "end", value: "")
    do throws(FormworkError) {
        let plan = try form.plan()
        let body = try readWhole(plan, &dice)
        let encoded = parse(body[...], boundary: form.framing.boundary.text)[0].content
        switch encoding {
        case .base64(let columns):
            if let columns { check(columns >= 4 && columns % 4 == 0, "\(columns) columns are taken") }
            check(decodeBase64(encoded, columns: columns) == content, "base64 decodes to something else")
            if way % 4 != 3 { check(plan.contentLength != nil, "the length of base64 isn't known") }
        case .quotedPrintable(let isMeasured):
            check(decodeQuotedPrintable(encoded) == content, "quoted-printable decodes to something else")
            check(!isMeasured || plan.contentLength != nil, "the length isn't measured")
        default:
            check(encoded.elementsEqual(content), "7bit changes bytes")
            let isAllowed = content.allSatisfy { $0 < 0x80 && ($0 != 0 || encoding == .sevenBit(allowsNUL: true)) }
            check(isAllowed, "7bit takes any byte")
        }
        try checkSeeking(plan, body, &dice)
        if isLong { try checkSeeking(plan, body, &dice) }
    } catch {
        let isRight =
            switch encoding {
            case .base64(let columns?): error.code == .invalidArgument && (columns < 4 || columns % 4 != 0)
            case .sevenBit(let allowsNUL):
                error.code == .contentNotEncodable && content.contains { $0 >= 0x80 || $0 == 0 && !allowsNUL }
            default: false
            }
        check(isRight, "\(error)")
    }
}

/// The content in memory, in pieces, or as a stream that gives a little at a time.
private func source(_ content: [UInt8], _ way: UInt8, _ dice: inout Dice) -> BodySource {
    let most = [1, 3, 60, 4000][Int(way / 4 % 4)]
    switch way % 4 {
    case 0, 2: return .bytes(content)
    case 1:
        var pieces: [BodySource] = []
        var rest = content[...]
        while !rest.isEmpty, pieces.count < 200 {
            let count = 1 + dice.roll(most)
            pieces.append(.bytes(Array(rest.prefix(count))))
            rest = rest.dropFirst(count)
        }
        return .concatenation(pieces + [.bytes(Array(rest))])
    default:
        return .stream { offset in Trickle(rest: content[Int(offset)...], most: most) }
    }
}

private struct Trickle: ByteStream {
    var rest: ArraySlice<UInt8>
    let most: Int

    mutating func read(into buffer: inout MutableRawSpan) -> Int {
        let count = min(self.most, buffer.byteCount, self.rest.count)
        for index in 0..<count {
            buffer.storeBytes(of: self.rest[self.rest.startIndex + index], toByteOffset: index, as: UInt8.self)
        }
        self.rest = self.rest.dropFirst(count)
        return count
    }
}

// MARK: - Decoders, from the RFC and not from the package

/// RFC 2045 §6.8; `nil` for anything that an encoder shouldn't write, such as a short line in the middle.
private func decodeBase64(_ text: ArraySlice<UInt8>, columns: Int?) -> [UInt8]? {
    var characters: [UInt8] = []
    var rest = text
    while !rest.isEmpty {
        let line = rest.prefix { $0 != 0x0D }
        rest = rest.dropFirst(line.count)
        characters += line
        guard !rest.isEmpty else {
            guard line.count <= columns ?? .max else { return nil }
            break
        }
        guard line.count == columns, rest.starts(with: [0x0D, 0x0A]), rest.count > 2 else { return nil }
        rest = rest.dropFirst(2)
    }
    guard characters.count % 4 == 0 else { return nil }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: characters.count, by: 4) {
        let group = characters[start..<start + 4]
        let padding = group.reversed().prefix { $0 == 0x3D }.count
        guard padding <= 2, padding == 0 || start + 4 == characters.count else { return nil }
        var bits = 0
        for character in group.dropLast(padding) {
            let value: Int
            switch character {
            case 0x41...0x5A: value = Int(character) - 0x41
            case 0x61...0x7A: value = Int(character) - 0x61 + 26
            case 0x30...0x39: value = Int(character) - 0x30 + 52
            case 0x2B: value = 62
            case 0x2F: value = 63
            default: return nil
            }
            bits = bits * 64 + value
        }
        for _ in 0..<padding { bits *= 64 }
        let three = [UInt8(bits >> 16), UInt8(bits >> 8 & 255), UInt8(bits & 255)]
        guard three.suffix(padding).allSatisfy({ $0 == 0 }) else { return nil }
        bytes += three.dropLast(padding)
    }
    return bytes
}

/// RFC 2045 §6.7, line by line; `nil` for a line of more than 76 characters, one that ends in a blank, and any other
/// thing that an encoder shouldn't write.
private func decodeQuotedPrintable(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text
    while true {
        let line = rest.prefix { $0 != 0x0D }
        rest = rest.dropFirst(line.count)
        guard line.count <= 76, line.last != 0x20, line.last != 0x09 else { return nil }
        var at = line.startIndex
        var isSoft = false
        while at < line.endIndex {
            guard line[at] == 0x3D else {
                guard (0x20...0x7E).contains(line[at]) || line[at] == 0x09 else { return nil }
                bytes.append(line[at])
                at += 1
                continue
            }
            if at + 1 == line.endIndex {
                isSoft = true
                break
            }
            guard at + 2 < line.endIndex, let high = digit(line[at + 1]), let low = digit(line[at + 2]) else {
                return nil
            }
            bytes.append(high * 16 + low)
            at += 3
        }
        guard !rest.isEmpty else { return isSoft ? nil : bytes }
        guard rest.starts(with: [0x0D, 0x0A]) else { return nil }
        rest = rest.dropFirst(2)
        if !isSoft { bytes += [0x0D, 0x0A] }
    }
}

private func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    default: nil
    }
}
