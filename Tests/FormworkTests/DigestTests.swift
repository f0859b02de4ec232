import Formwork
import FormworkCore
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
}
