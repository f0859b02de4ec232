import FormworkCore
@testable import FormworkDigests
import Testing

@Suite(.timeLimit(.minutes(10))) struct DigestTests {
    /// The messages of NIST's "Example Values" for SHA-256 and SHA-512, and of its SHAVS.
    private static let messages = [
        "", "abc", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
        String(repeating: "a", count: 1_000_000),
    ]
    /// 300 bytes, more than two blocks of each.
    private static let long = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    /// The digests of the messages, and of the long bytes: by NIST, and by Python's hashlib what NIST hasn't published.
    private static let expected: [(type: any SavableDigest.Type, messages: [String], long: String)] = [
        (
            SHA256Digest.self,
            [
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
                "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
            ],
            "9a76b8af8f16f19d60de2b3999c22f9d10be4395c90ea3bfc5eb6cd6254243af"
        ),
        (
            SHA512Digest.self,
            [
                "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                    + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
                "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c335"
                    + "96fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445",
                "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                    + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909",
                "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
                    + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b",
            ],
            "c59cdec0ad3e782b46895375b8721ded04fe2767263ea52ad3f794e98e990d60"
                + "b83d2671430d34c6e27c5d0f556a30964f1243b7cb4f98c21ea8b8bde9907fda"
        ),
        (
            SHA1Digest.self,
            [
                "da39a3ee5e6b4b0d3255bfef95601890afd80709",
                "a9993e364706816aba3e25717850c26c9cd0d89d",
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
                "a49b2446a02c645bf419f995b67091253a04a259",
                "34aa973cd4c4daa4f61eeb2bdbad27316534016f",
            ],
            "c171cf8316b7c44ede787146936af403e0ec9de1"
        ),
        (
            MD5Digest.self,
            [
                "d41d8cd98f00b204e9800998ecf8427e",
                "900150983cd24fb0d6963f7d28e17f72",
                "8215ef0796a20bcaaae116d3876c664a",
                "03dd8807a93175fb062dfb55dc7d359c",
                "7707d6ae4e027c70eea2a935c2296f21",
            ],
            "04efd1e6a4e06e3794694154279db582"
        ),
    ]

    private func hex(_ digest: any BodyDigest) -> String { Hex.text(digest.finalized()) }

    @Test(arguments: 0..<4) func `Digests are those of the standards`(index: Int) {
        let (type, messages, long) = Self.expected[index]
        for (message, expected) in zip(Self.messages, messages) {
            var digest = type.init()
            Array(message.utf8).withRawSpan { digest.update($0) }
            #expect(self.hex(digest) == expected)
        }
        var digest = type.init()
        for byte in Self.long { [byte].withRawSpan { digest.update($0) } }
        #expect(self.hex(digest) == long)
    }

    @Test func `Algorithms have the names of RFC 9530's registry`() {
        let names = Self.expected.map { $0.type.algorithm }
        #expect(names == ["sha-256", "sha-512", "sha", "md5"])
        for (name, expected) in zip(names, Self.expected) {
            #expect(DigestAlgorithms.digest(named: name).map(self.hex) == expected.messages[0])
        }
        #expect(DigestAlgorithms.digest(named: "sha-1") == nil)
    }

    @Test func `SHA-256 is the same without the processor's instructions`() {
        for (message, expected) in zip(Self.messages, Self.expected[0].messages) {
            var state = HashState<PortableSHA256Function>()
            Array(message.utf8).withRawSpan { state.update($0) }
            #expect(Hex.text(state.finalized()) == expected)
        }
    }

    /// The second is the digest of the bytes from `start` on, so the blocks of the two agree at some starts only.
    @Test func `Two digests of the same bytes, together, are those of each alone`() {
        let tails = [
            0: "9a76b8af8f16f19d60de2b3999c22f9d10be4395c90ea3bfc5eb6cd6254243af",
            1: "8f239d4364e87f79a87d27a8243b6b61e55eebbfde31cddf9b177be039a66560",
            63: "aff3e2779db136a9cf7b093f113812b3135a1ee3fd6deaa724940035dbbb8b3e",
            64: "846ef72e9b3a1aabd8e051a5e01c55ccec71c093ae03438395d97dd119d9210c",
            128: "2f9e258544797f4eaa55300760b37ab90a5cf9fef128f66413cce039a37577cc",
            200: "da65ddfa1068a1685cba1b3e8058b717ecb32e85f1dc125272c33126f669fb4a",
        ]
        for (start, tail) in tails {
            for step in [1, 7, 63, 64, 65, 130, 300] {
                var (one, other): (SHA256Digest?, SHA256Digest?) = (SHA256Digest(), SHA256Digest())
                Self.long[..<start].withBytes { one?.update($0) }
                for from in stride(from: start, to: 300, by: step) {
                    Self.long[from..<min(from + step, 300)].withBytes { SHA256Digest.update(&one, &other, $0) }
                }
                #expect(one?.hex == tails[0])
                #expect(other?.hex == tail)
                #expect(other?.byteCount == Int64(300 - start))
            }
        }
    }

    @Test func `Of two digests that may be missing, the other is updated`() {
        var (one, other): (SHA256Digest?, SHA256Digest?) = (SHA256Digest(), nil)
        Self.long[...].withBytes { SHA256Digest.update(&one, &other, $0) }
        #expect(one?.hex == Self.expected[0].long)
        #expect(other == nil)
        (one, other) = (nil, SHA256Digest())
        Self.long[...].withBytes { SHA256Digest.update(&one, &other, $0) }
        #expect(one == nil)
        #expect(other?.hex == Self.expected[0].long)
    }

    @Test(arguments: 0..<4) func `Saved at any byte and continued, the digest is the same`(index: Int) throws {
        let (type, _, long) = Self.expected[index]
        let (block, words) = [(64, 32), (128, 64), (64, 20), (64, 16)][index]
        for cut in 0...300 {
            var first = type.init()
            Self.long[..<cut].withBytes { first.update($0) }
            #expect(first.saved.count == words + 8 + cut % block)
            let saved = type.init(saved: first.saved)
            var second = try #require(saved)
            #expect(second.byteCount == cut)
            Self.long[cut...].withBytes { second.update($0) }
            #expect(self.hex(second) == long)
        }
    }

    /// The words after the first block are from a reference in Python.
    @Test func `A saved state has this form`() {
        var digest = SHA256Digest()
        Self.long[..<66].withBytes { digest.update($0) }
        #expect(
            Hex.text(digest.saved)
                == "6c69017d0ec50641de6d1abdce75003d11218e34b3c98da12ff25b8982156de4" + "0000000000000042" + "c0c7")
    }

    @Test(arguments: 0..<4) func `What isn't a saved state is refused`(index: Int) {
        let (type, _, _) = Self.expected[index]
        let size = type.init().saved.count
        for count in [0, size - 1, size + 1] { #expect(type.init(saved: [UInt8](repeating: 0, count: count)) == nil) }
        #expect(type.init(saved: [UInt8](repeating: 0, count: size)) != nil)
    }

    /// The expected value is from a reference in Python: hashlib can't begin there.
    @Test func `The length of more than 2^61 bytes has more than 64 bits`() throws {
        var saved = SHA512Digest().saved
        saved.replaceSubrange(64..<72, with: [0x20, 0, 0, 0, 0, 0, 0, 0])
        #expect(
            self.hex(try #require(SHA512Digest(saved: saved)))
                == "4e15588b073f68f07592e9a51190a7e00e2efaaa365fb318f27e82e5c6df94a8"
                + "62d54b825cefcc3bd28977fcefc7fd8cac281f334977797ea395dbff21311a72")
    }

    /// RFC 4231, sections 4.2, 4.3 and 4.7.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0B, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func `HMAC has the codes of RFC 4231`(key: [UInt8], text: String, expected: String) {
        let code = HMACSHA256.code(for: Array(text.utf8), key: key)
        #expect(Hex.text(code) == expected)
        #expect(HMACSHA256.isValid(code, for: Array(text.utf8), key: key))
        for index in code.indices {
            var wrong = code
            wrong[index] ^= 0x80
            #expect(!HMACSHA256.isValid(wrong, for: Array(text.utf8), key: key))
        }
        #expect(!HMACSHA256.isValid(Array(code.dropLast()), for: Array(text.utf8), key: key))
        #expect(!HMACSHA256.isValid([], for: Array(text.utf8), key: key))
    }
}
