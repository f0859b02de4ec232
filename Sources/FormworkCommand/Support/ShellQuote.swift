/// Words as a shell reads them.
enum ShellQuote {
    static func quote(_ word: String) -> String {
        let isPlain = !word.isEmpty && word.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
            case UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "+"):
                true
            default: false
            }
        }
        return isPlain ? word : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
