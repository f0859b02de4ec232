@testable import FormworkCore
import Testing

@Suite(.timeLimit(.minutes(10))) struct SafeFilenameTests {
    @Test(
        "A name loses what could leave the folder or mean something to a system",
        arguments: [
            ("photo.jpg", "photo.jpg"), ("../../etc/passwd", "passwd"), ("C:\\fakepath\\test.txt", "test.txt"),
            ("\\\\network\\ie.exe", "ie.exe"), ("/tmp/1k_a.dat", "1k_a.dat"), ("a/b\\c", "c"), ("C:name", "C_name"),
            ("x: y.txt", "x_ y.txt"), ("a:b", "a_b"), ("C:/", nil), ("C:/a", "a"),
            ("x.php\u{0}.png", "x.php.png"), ("a\r\nb", "ab"), ("name.txt:stream", "name.txt_stream"),
            ("xy::$DATA", "xy__$DATA"), ("CON", "_CON"), ("con.txt", "_con.txt"), ("Lpt1.tar.gz", "_Lpt1.tar.gz"),
            ("COM¹", "_COM¹"), ("NUL .txt", "_NUL .txt"), ("COM10", "COM10"), ("CONSOLE", "CONSOLE"),
            (".htaccess", "htaccess"), ("-rf", "_-rf"), (".-", "_-"), ("-\u{301}rf", "_-\u{301}rf"),
            ("con.\u{301}txt", "_con.\u{301}txt"), ("a/-b", "_-b"), ("a-b", "a-b"), ("  a  ", "a"),
            ("a.", "a"), ("a. . .", "a"), ("...a", "a"),
            ("a\u{202E}gpj.exe", "agpj.exe"), ("\u{FEFF}a", "a"), ("naïve 文書.txt", "naïve 文書.txt"),
            ("👨‍👩‍👧.png", "👨‍👩‍👧.png"), ("<a>|?*\"", "_a_____"),
        ] as [(String, String?)])
    func rows(_ name: String, _ safe: String?) { #expect(SafeFilename(name)?.text == safe) }

    @Test(
        "Letters are composed, whatever stood between them",
        arguments: [
            ("e\u{301}.txt", [0xC3, 0xA9, 0x2E, 0x74, 0x78, 0x74]), ("\u{212B}", [0xC3, 0x85]),
            ("e\u{200B}\u{301}", [0xC3, 0xA9]), ("q\u{301}\u{323}", [0x71, 0xCC, 0xA3, 0xCC, 0x81]),
            ("\u{1100}\u{1161}", [0xEA, 0xB0, 0x80]), ("CLOC\u{212A}$", Array("_CLOCK$".utf8)),
        ] as [(String, [UInt8])])
    func composed(_ name: String, _ bytes: [UInt8]) {
        #expect(SafeFilename(name).map { Array($0.text.utf8) } == bytes)
    }

    @Test(
        "A name of which nothing is left is none",
        arguments: ["", ".", "..", "/", "a/", "\\", " ", "\u{0}", "C:", "a/.."])
    func nothing(_ name: String) { #expect(SafeFilename(name) == nil) }

    @Test("A long name is cut between characters and keeps its extension")
    func long() throws {
        #expect(
            SafeFilename(String(repeating: "a", count: 300) + ".jpg")?.text == String(repeating: "a", count: 251)
                + ".jpg")
        #expect(SafeFilename("ääää.txt", limit: 9)?.text == "ää.txt")
        #expect(SafeFilename("👨‍👩‍👧👨‍👩‍👧.png", limit: 30)?.text == "👨‍👩‍👧.png")
        #expect(SafeFilename("a." + String(repeating: "x", count: 40), limit: 20)?.text.utf8.count == 20)
        #expect(
            SafeFilename("a" + String(repeating: "\u{301}", count: 400) + ".txt", limit: 255)?.text
                == "\u{E1}" + String(repeating: "\u{301}", count: 124) + ".txt",
            "a first character that is too long is cut between its scalars")
        #expect(SafeFilename("con", limit: 3)?.text == "_co")
    }

    @Test("Words go in front of the extension, and what then is too long is cut")
    func inserting() throws {
        func inserting(_ words: String, _ name: String) throws -> String {
            try #require(SafeFilename(name)).inserting(words)
        }
        #expect(try inserting(" (1)", "a.txt") == "a (1).txt")
        #expect(try inserting("-2", "a") == "a-2")
        #expect(try inserting(" (1)", "a.tar.gz") == "a.tar (1).gz")
        #expect(try inserting(" (1)", "a.jpg.form.json") == "a.jpg (1).form.json")
        #expect(try inserting(" (1)", "form.json") == "form (1).json")
        let long = String(repeating: "ä", count: 125)
        #expect(try inserting(" (1)", "\(long).txt") == "\(long.dropLast(2)) (1).txt")
        let extended = "a." + String(repeating: "x", count: 253)
        #expect(try inserting(" (10)", extended) == "\(extended.dropLast(5)) (10)")
    }

    @Test("Whatever goes in, what comes out is one harmless component, and safe already")
    func anything() throws {
        var generator = SplitMix64(seed: 3)
        let pieces = [
            "/", "\\", ".", "..", " ", "CON", "com1", ":", "\u{0}", "\u{7F}", "a", "é", "👍🏽", ".txt", "\u{202E}",
            "$DATA", "e", "\u{301}", "\u{200B}",
        ]
        for _ in 0..<3000 {
            let name = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
                pieces.randomElement(using: &generator)!
            }
            .joined()
            let limit = Int.random(in: 1...30, using: &generator)
            guard let safe = SafeFilename(name, limit: limit)?.text else { continue }
            #expect((1...limit).contains(safe.utf8.count), "\(name)")
            #expect(
                !safe.contains("/") && !safe.contains("\\") && !safe.contains(":") && !safe.hasPrefix("."), "\(name)")
            #expect(!safe.hasSuffix(".") && !safe.hasSuffix(" "), "\(name)")
            #expect(!safe.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "\(name)")
            #expect(SafeFilename(safe, limit: limit)?.text == safe, "\(name) → \(safe)")
        }
    }
}
