import FormworkCore
import Testing

/// Published ways in which a filename got out of the folder for uploads.
@Suite("Advisories: files", .timeLimit(.minutes(10))) struct FileAdvisoryTests {
    private static func header(_ parameters: String) throws -> ReceivedHeader {
        let parsed = try parser("b").parse(
            "--b\r\nContent-Disposition: form-data; name=a; \(parameters)\r\n\r\n\r\n--b--")
        return try #require(parsed.parts.first?.header)
    }

    @Test(
        "CVE-2026-24486, CVE-2021-28658, CVE-2021-31542: a safe name has no folder, and the received one stays beside it",
        arguments: [
            ("../../etc/passwd", "passwd"), (#"..\..\windows\win.ini"#, "win.ini"), ("/etc/cron.d/x", "x"),
            ("..", nil), (".", nil), ("", nil), ("/", nil), ("a/..", nil), ("C:autoexec.bat", "C_autoexec.bat"),
            (#"C:\fakepath\a.png"#, "a.png"), (#"\\host\share\a.png"#, "a.png"),
            ("shell.php:stream", "shell.php_stream"),
            ("web.config::$DATA", "web.config__$DATA"), (".htaccess", "htaccess"), ("nul.txt", "_nul.txt"),
            ("a.php. . .", "a.php"), ("a.php ", "a.php"), ("a\u{1}b\u{7F}.txt", "ab.txt"),
            ("gpj\u{202E}.exe", "gpj.exe"),
        ] as [(String, String?)])
    func paths(_ received: String, _ safe: String?) throws {
        let header = try Self.header("filename=\"\(received)\"")
        #expect(header.safeFilename == safe)
        #expect(header.filename == received)
        #expect(header.filenameBytes.map(Array.init) == Array(received.utf8))
    }

    @Test("CVE-2026-24486: filename* is made safe too, its escapes undone before")
    func extended() throws {
        #expect(try Self.header("filename*=UTF-8''..%2F..%2Fetc%2Fpasswd").safeFilename == "passwd")
        #expect(try Self.header("filename*=UTF-8''..%5Ca.txt; filename=\"ok.txt\"").safeFilename == "a.txt")
        #expect(try Self.header("filename*=UTF-8''%2E%2E").safeFilename == nil)
        // Not undone twice.
        #expect(try Self.header("filename*=UTF-8''..%252Fa").safeFilename == "%2Fa")
    }

    @Test("CVE-2023-50164: parameters in another case are the same parameters, so none slips past a check")
    func parameterCase() throws {
        #expect(try Self.header("FILENAME=\"../a\"").safeFilename == "a")
        #expect(try Self.header("FileName*=UTF-8''..%2Fa").safeFilename == "a")
        let both = try parser("b").parse(
            "--b\r\nContent-Disposition: form-data; name=a; filename=ok; Filename=\"../a\"\r\n\r\n\r\n--b--")
        #expect(both.failure?.kind == .duplicateParameter)
    }

    @Test("CVE-2026-24486: a name as long as a header allows has 255 bytes when it's safe, its extension kept")
    func length() throws {
        let header = try Self.header(
            "filename=\"\(String(repeating: "../ä", count: 500))\(String(repeating: "ä", count: 300)).png\"")
        #expect(header.safeFilename == String(repeating: "ä", count: 125) + ".png")
    }
}
