import Formwork
import TestSupport

/// A form framed with the boundary `b`, so that expected bytes can be written down.
func formB() -> FormData { FormData(framing: MultipartFraming(boundary: try! Boundary("b"))) }  // "b" is one bchar

/// The bytes of a pull stream in memory, a few at a time.
final class DripStream: ByteStream {
    private var rest: ArraySlice<UInt8>
    private let step: Int

    init(_ bytes: [UInt8], from offset: Int = 0, step: Int = 3) {
        self.rest = bytes[offset...]
        self.step = step
    }

    func read(into buffer: inout MutableRawSpan) throws -> Int {
        let count = min(self.rest.count, self.step, buffer.byteCount)
        for index in 0..<count {
            buffer.storeBytes(of: self.rest[self.rest.startIndex + index], toByteOffset: index, as: UInt8.self)
        }
        self.rest.removeFirst(count)
        return count
    }
}

/// A form of every replayable kind of source, and its body as written by hand.
func generatedForm(seed: UInt64, in folder: TemporaryFolder) throws -> (form: FormData, body: [UInt8]) {
    var generator = SampleGenerator(seed: seed)
    var form = formB()
    var body: [UInt8] = []
    let count = Int.random(in: 0...7, using: &generator)
    for index in 0..<count {
        let bytes = randomBytes(&generator)
        let (source, content) = try randomSource(bytes, index, &generator, folder)
        form.append(name: "p\(index)", source: source)
        body += Array(
            "\(index == 0 ? "" : "\r\n")--b\r\nContent-Disposition: form-data; name=\"p\(index)\"\r\n\r\n".utf8)
        body += content
    }
    let lazyCount = Int.random(in: 0...3, using: &generator) == 0 ? Int.random(in: 0...2500, using: &generator) : 0
    form.append(PartSequence(count: lazyCount) { BodyPart(name: "lazy", value: "v\($0)") })
    for index in 0..<lazyCount {
        let head = "--b\r\nContent-Disposition: form-data; name=\"lazy\"\r\n\r\nv\(index)"
        body += Array("\(body.isEmpty ? "" : "\r\n")\(head)".utf8)
    }
    body += Array("\(body.isEmpty ? "" : "\r\n")--b--\r\n".utf8)
    return (form, body)
}

private func randomBytes(_ generator: inout SampleGenerator) -> [UInt8] {
    let size = [0, 1, 2, 17, 1000, 70_000].randomElement(using: &generator)!  // the list isn't empty
    let unit = (0..<97).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    return Array(repeatElement(unit, count: size / 97 + 1).joined().prefix(size))
}

private func randomSource(
    _ bytes: [UInt8], _ index: Int, _ generator: inout SampleGenerator, _ folder: TemporaryFolder
) throws -> (BodySource, [UInt8]) {
    let length = Int64(bytes.count)
    switch Int.random(in: 0...6, using: &generator) {
    case 0: return (.bytes(bytes), bytes)
    case 1: return (.file(try folder.file("f\(index)", bytes)), bytes)
    case 2:
        let path = try folder.file("s\(index)", [1, 2, 3] + bytes + [4, 5])
        return (.file(path, offset: 3, length: length), bytes)
    case 3: return (.stream(length: length) { DripStream(bytes, from: Int($0), step: 100) }, bytes)
    case 4:
        let path = try folder.file("c\(index)", bytes)
        return (.concatenation([.text("head"), .file(path), .bytes(bytes)]), Array("head".utf8) + bytes + bytes)
    case 5: return (.synthetic(count: 10, seed: 0), [0xAF, 0xCD, 0x1D, 0x7B, 0x39, 0xA8, 0x20, 0xE2, 0xF4, 0x65])
    default: return (.text("Grüße, 東京"), Array("Grüße, 東京".utf8))
    }
}

/// Reads a body in pieces of at most `size` bytes.
func readAll(_ reader: BodyReader, by size: Int) throws -> [UInt8] {
    var body: [UInt8] = []
    while true {
        let chunk = try reader.read(upTo: size)
        if chunk.isEmpty { return body }
        body += chunk
    }
}
