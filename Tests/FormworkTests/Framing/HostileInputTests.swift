@testable import Formwork
@testable import FormworkCore
import TestSupport
import Testing

@Suite("Hostile input", .timeLimit(.minutes(10)))
struct HostileInputTests {
    /// Text of the characters that grammars trip over, the same for a seed each time.
    private struct HostileText {
        private var generator: SampleGenerator
        private static let pieces = [
            "\"", "\\", ";", ",", "=", "@", "<", "(", ")", "\r", "\n", "\r\n", "\0", " ", "\t", "%", "%22", "-", "--",
            ":",
            "type=", "filename=", "length=", "9", "a", "ü", "東", "👩‍👧", "\u{301}", "\u{202E}", "\u{7F}", "/",
            "x/y",
        ]

        init(seed: UInt64) { self.generator = SampleGenerator(seed: seed) }

        mutating func next() -> String {
            (0..<Int.random(in: 0..<12, using: &self.generator)).map { _ in self.generator.pick(Self.pieces) }.joined()
        }
    }

    @Test("No argument traps; what is accepted has no part that was lost", arguments: UInt64(1)...8)
    func formArguments(seed: UInt64) {
        var text = HostileText(seed: seed)
        for _ in 0..<3000 {
            let argument = text.next()
            if let parsed = try? FormArgument(parsing: argument), case .text(let value, _) = parsed.content {
                #expect(
                    argument.unicodeScalars.count >= (parsed.name ?? "").unicodeScalars.count
                        + value.unicodeScalars.count)
            }
            _ = try? FormArgument(parsing: argument, grammar: .curl)
            if let literal = try? FormArgument(literal: argument), case .text(let value, _) = literal.content {
                #expect((literal.name ?? "") + "=" + value == argument)
            }
        }
    }

    @Test("A quoted value comes back as it was", arguments: UInt64(11)...14)
    func quoting(seed: UInt64) throws {
        var text = HostileText(seed: seed)
        for _ in 0..<2000 {
            let value = text.next()
            // By scalars: a combining mark behind a quote makes another character of it.
            let quoted = value.unicodeScalars.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : "\($0)" }.joined()
            #expect(try FormArgument(parsing: "n=\"\(quoted)\"").content == .text(value, .init()))
        }
    }

    @Test("No name, filename or type adds a line or ends its quotes", arguments: UInt64(21)...28)
    func headers(seed: UInt64) throws {
        var text = HostileText(seed: seed)
        for _ in 0..<2000 {
            let header = PartHeader(name: text.next(), filename: text.next(), contentType: text.next())
            for escaping in [ParameterEscaping.whatwg, .backslash, .refuse] {
                var bytes: [UInt8] = []
                guard (try? header.append(to: &bytes, escaping: escaping)) != nil else { continue }
                #expect(bytes.count { $0 == 0x0A } == 3 && bytes.count { $0 == 0x0D } == 3, "\(header), \(escaping)")
                #expect(!bytes.contains(0))
                // Quotes that aren't behind a backslash of the backslash rule: two around each of the two names.
                var quotes = 0
                var isEscaped = false
                for byte in bytes.prefix(while: { $0 != 0x0A }) {
                    if byte == 0x22, !isEscaped { quotes += 1 }
                    isEscaped = escaping == .backslash && byte == 0x5C && !isEscaped
                }
                #expect(quotes == 4, "\(header), \(escaping)")
            }
        }
    }

    @Test("A field or boundary that was accepted holds no line end", arguments: UInt64(31)...34)
    func fieldsAndBoundaries(seed: UInt64) {
        var text = HostileText(seed: seed)
        for _ in 0..<2000 {
            let bad = Set("\r\n\0".unicodeScalars)
            if let field = try? HeaderField(text.next(), text.next()) {
                #expect((field.name + field.value).unicodeScalars.allSatisfy { !bad.contains($0) })
            }
            if let boundary = try? Boundary(text.next()) {
                #expect(boundary.parameterValue.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
            }
        }
    }
}
