import Formwork

/// A pull stream for the article on sources.
struct CountingStream: ByteStream {
    var offset: Int64

    init(from offset: Int64) { self.offset = offset }

    mutating func read(into buffer: inout MutableRawSpan) throws -> Int {
        guard self.offset < 1_000_000 else { return 0 }
        buffer.storeBytes(of: UInt8(truncatingIfNeeded: self.offset), toByteOffset: 0, as: UInt8.self)
        self.offset += 1
        return 1
    }
}

private nonisolated func logLines() -> AsyncStream<[UInt8]> {
    AsyncStream { continuation in
        continuation.yield(Array("started\n".utf8))
        continuation.finish()
    }
}

func sources() async throws -> [FormData] {
    let generated = BodySource.stream(length: 1_000_000) { offset in
        CountingStream(from: offset)
    }
    var form = FormData()
    form.append(name: "generated", source: generated)

    let log = BodySource.chunks { logLines() }

    var readings = FormData()
    readings.append(
        PartSequence(count: 1_000_000) { index in
            BodyPart(name: "reading", value: "\(index)")
        })
    return [form, readings, FormData([BodyPart(name: "log", source: log)])]
}
