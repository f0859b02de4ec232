@testable import Formwork
import FormworkDigests
import Testing

@Suite("Digests", .timeLimit(.minutes(10)))
struct DigestTests {
    @Test("Digests are those of the whole body, and none after a seek")
    func digests() throws {
        var form = formB()
        form.append(name: "a", value: "1")
        let plan = try form.plan()
        let options = ReaderOptions(digests: [SHA256Digest(), MD5Digest(), CRC32C()])
        let reader = try plan.makeReader(options: options)
        #expect(reader.digestValues == nil)
        _ = try readAll(reader, by: 5)
        // printf -- '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n' | sha256sum, md5sum, and PyPI's crc32c
        #expect(
            reader.digestValues?.map(\.hex) == [
                "c81b775f3630449afa44b65745f8879fbaa2b54b69fd3742e69fb3a38dc6953c", "d795feeeaa89b387b7abfbc18c6f39e0",
                "8ec3823d",
            ])
        // The names of RFC 9530's registry, where it has one.
        #expect(reader.digestValues?.map(\.algorithm) == ["sha-256", "md5", "crc32c"])
        let seeking = try plan.makeReader(options: options)
        try seeking.seek(to: 3)
        _ = try readAll(seeking, by: 100)
        #expect(seeking.digestValues == nil)
    }

    /// RFC 3720 B.4 prints the checksums of its rows in the order they are sent, least significant byte first: `aa 36 91 8a`.
    @Test("A CRC-32C is this, however the bytes are cut")
    func checksums() {
        for (bytes, checksum, guardsAgainst) in [
            ([], "00000000", "a missing final complement"),
            (Array("a".utf8), "c1d04330", "less than a step of eight"),
            (Array("123456789".utf8), "e3069283", "another polynomial, such as zlib's"),
            (Array(repeating: 0, count: 32), "8a9136aa", "RFC 3720: zeros that leave the state alone"),
            (Array(repeating: 0xFF, count: 32), "62a8ab43", "RFC 3720: all ones"),
            (Array(0...31), "46dd794e", "RFC 3720: bytes out of order"),
            (Array((0...31).reversed()), "113fdb5c", "RFC 3720: reversed within a word"),
            ((0..<1_000).map { UInt8(truncatingIfNeeded: $0 * 7) }, "79a16ae6", "a wrong entry in one of the tables"),
        ] as [([UInt8], String, String)] {
            func crc(_ pieces: [ArraySlice<UInt8>]) -> String {
                var crc = CRC32C()
                for piece in pieces { crc.update(piece.span.bytes) }
                #expect(crc.finalized() == crc.finalized(), "asking changes nothing")
                return DigestValue(algorithm: "crc32c", bytes: crc.finalized()).hex
            }
            #expect(crc(bytes.indices.map { bytes[$0...$0] }) == checksum, "\(guardsAgainst), byte by byte")
            for cut in 0...bytes.count {
                #expect(crc([bytes[..<cut], bytes[cut...]]) == checksum, "\(guardsAgainst), cut before \(cut)")
            }
        }
    }

    @Test("Tables and the processor's instruction agree, wherever the bytes lie")
    func tables() {
        let bytes = (0..<5_000).map { UInt8(truncatingIfNeeded: $0 * $0 * 7 >> 3) }
        for (start, end) in [(0, 5_000), (1, 5_000), (3, 4_099), (7, 71), (8, 15), (9, 9)] {
            let span = bytes.span.bytes.extracting(start..<end)
            var (one, other) = (CRC32C(), CRC32C())
            one.update(span)
            other.updateByTable(span)
            #expect(one.value == other.value, "\(start)..<\(end)")
        }
    }
}
