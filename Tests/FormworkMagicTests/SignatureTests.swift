import FormworkCore
import FormworkMagic
import Testing

/// libmagic isn't asked for content that begins as its name claims.
@Suite("Signatures", .timeLimit(.minutes(10)))
struct SignatureTests {
    private static let signatures: [(file: String, type: String, head: [UInt8])] = [
        ("a.jpg", "image/jpeg", [0xFF, 0xD8, 0xFF, 0xE0]),
        ("a.JPEG", "image/jpeg", [0xFF, 0xD8, 0xFF, 0xE1, 1, 2, 3]),
        (
            "a.png", "image/png",
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D, 0x49, 0x48, 0x44, 0x52]
        ),
        ("a.gif", "image/gif", Array("GIF87a".utf8)), ("a.gif", "image/gif", Array("GIF89a1234".utf8)),
        ("a.webp", "image/webp", Array("RIFF1234WEBPVP8 ".utf8)),
        ("a.pdf", "application/pdf", Array("%PDF-1.7\n".utf8)),
    ]

    @Test(
        "A picture or PDF with its signature has the type of its name, without libmagic", arguments: signatures.indices)
    func agree(index: Int) {
        let (file, type, head) = Self.signatures[index]
        let broken = LibMagic(database: "/nowhere/magic")
        let choice = MediaTypeDetection.auto(magic: broken).choice(forFilename: file, head: head)
        #expect(choice.mediaType == type && choice.detector == .extension)
        #expect(broken.failure == nil)
        // libmagic says the same.
        #expect(MediaTypeDetection.byContent.choice(forFilename: nil, head: head).mediaType == type)
    }

    @Test("One byte less or another name, and libmagic is asked", arguments: signatures.indices)
    func disagree(index: Int) {
        let (file, _, head) = Self.signatures[index]
        var changed = head
        changed[1] ^= 1
        for (name, head) in [(file, Array(head.prefix(3))), (file, changed), ("a.txt", head), ("a", head)] {
            let broken = LibMagic(database: "/nowhere/magic")
            _ = MediaTypeDetection.auto(magic: broken).choice(forFilename: name, head: head)
            #expect(broken.failure != nil, "\(name)")
        }
    }

    @Test("JPEG-LS isn't JPEG")
    func jpegLS() {
        let broken = LibMagic(database: "/nowhere/magic")
        _ = MediaTypeDetection.auto(magic: broken).choice(forFilename: "a.jpg", head: [0xFF, 0xD8, 0xFF, 0xF7])
        #expect(broken.failure != nil)
    }
}
