import FormworkCore
@testable import FormworkURLEncoded
import Testing

@Suite("Limits of text that arrives piece by piece", .timeLimit(.minutes(10)))
struct StreamLimitTests {
    @Test("A pair without end is refused at its first byte too many", arguments: [1, 3, 50])
    func pairWithoutEnd(size: Int) throws {
        var parser = URLEncodedParser(rules: URLEncodedParsing(limits: URLEncodedLimits(pairBytes: 100)))
        parser.append(Array("b=1&a=".utf8))
        #expect(try parser.next() == URLEncodedPair("b", "1"))
        var given = 2
        while given + size <= 100 {
            parser.append([UInt8](repeating: 0x78, count: size))
            given += size
            #expect(try parser.next() == nil)
            #expect(parser.retainedBytes == given)
        }
        parser.append([UInt8](repeating: 0x78, count: size))
        let error = #expect(throws: FormworkError.self) { try parser.next() }
        #expect(error?.code == .limitExceeded && error?.offset == 4)
        #expect(error?.message == "a pair has more than 100 bytes (limits.pairBytes)")
    }

    @Test("A last pair of the limit's bytes is read, and one byte more is refused", arguments: [98, 99])
    func lastPair(count: Int) throws {
        var parser = URLEncodedParser(rules: URLEncodedParsing(limits: URLEncodedLimits(pairBytes: 100)))
        parser.append(Array("a=".utf8) + [UInt8](repeating: 0x78, count: count))
        parser.finish()
        guard count == 98 else {
            let error = #expect(throws: FormworkError.self) { try parser.next() }
            #expect(error?.code == .limitExceeded)
            return
        }
        #expect(try parser.next() == URLEncodedPair("a", String(repeating: "x", count: 98)))
        #expect(try parser.next() == nil)
    }
}
