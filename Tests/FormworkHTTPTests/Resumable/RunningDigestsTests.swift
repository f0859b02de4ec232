@testable import FormworkResumable
import Testing

/// Digests of an upload whose last bytes may be taken back.
@Suite(.timeLimit(.minutes(10))) struct RunningDigestsTests {
    private static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    private static let abcxyz = "f312795e322c87461a6f3c49e09897c59ca0d5a36245d2a00f08cbc66eee976d"
    private static let xyz = "3608bca1e44ea6c4d268eb6db02260269892c0b42b86bbf1e77a6fa16c3c9282"

    /// Of `abc` and `def`, with the mark between them.
    private func digests(marked: Bool) -> RunningDigests {
        var digests = RunningDigests(["sha-256"])
        digests.update(Array("abc".utf8))
        digests.mark(marked)
        digests.update(Array("def".utf8))
        return digests
    }

    private func hex(_ digests: RunningDigests) -> [String] { digests.values.map(\.hex) }

    @Test("Bytes after the mark are taken back, and others take their place")
    func rewound() {
        var digests = self.digests(marked: true)
        digests.rewind(to: 3)
        #expect(digests.count == 3 && self.hex(digests) == [Self.abc])
        digests.update(Array("xyz".utf8))
        #expect(digests.count == 6 && self.hex(digests) == [Self.abcxyz])
    }

    @Test("Nothing is taken back that isn't there")
    func ahead() {
        var digests = self.digests(marked: true)
        digests.rewind(to: 6)
        digests.rewind(to: 100)
        #expect(digests.count == 6)
    }

    @Test(
        "Without a mark at or before the place, they begin again",
        arguments: [(true, 2), (false, 3)] as [(Bool, Int64)])
    func begunAgain(isMarked: Bool, offset: Int64) {
        var digests = self.digests(marked: isMarked)
        digests.rewind(to: offset)
        #expect(digests.count == 0)
        digests.update(Array("xyz".utf8))
        #expect(self.hex(digests) == [Self.xyz])
    }
}
