import FormworkCore
import Testing

/// SHA-256 that can be saved and continued.
@Suite struct SavableDigestTests {
    /// The examples of FIPS 180-4's predecessors (NIST, "SHA-256 Example Values") and of NIST's SHAVS.
    private static let examples: [(text: String, digest: String)] = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        (String(repeating: "a", count: 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ]

    @Test(arguments: 0..<5) func `NIST's examples have their digests, with and without instructions`(index: Int) {
        let (text, expected) = Self.examples[index]
        for hasInstructions in [false, true] {
            var digest = SavableSHA256()
            Array(text.utf8).withRawSpan { digest.update($0, usesInstructions: hasInstructions) }
            #expect(DigestValue(algorithm: "sha-256", bytes: digest.finalized()).hex == expected)
        }
    }

    @Test func `Saved at any byte and continued, the digest is the same`() throws {
        let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for cut in 0...300 {
            var first = SavableSHA256()
            bytes[..<cut].withBytes { first.update($0) }
            #expect(first.saved.count == 40 + cut % 64)
            var second = try #require(SavableSHA256(saved: first.saved))
            #expect(second.byteCount == cut)
            bytes[cut...].withBytes { second.update($0) }
            #expect(
                DigestValue(algorithm: "sha-256", bytes: second.finalized()).hex
                    == "9a76b8af8f16f19d60de2b3999c22f9d10be4395c90ea3bfc5eb6cd6254243af")
        }
    }

    @Test func `What isn't a saved state is refused`() {
        #expect(SavableSHA256(saved: []) == nil)
        #expect(SavableSHA256(saved: [UInt8](repeating: 0, count: 39)) == nil)
        #expect(SavableSHA256(saved: [UInt8](repeating: 0, count: 41)) == nil)
        #expect(SavableSHA256(saved: [UInt8](repeating: 0, count: 40)) != nil)
    }
}
