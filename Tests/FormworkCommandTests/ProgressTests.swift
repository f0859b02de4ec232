import Foundation
import Testing

@testable import FormworkCommand

@Suite("Progress", .timeLimit(.minutes(10)))
struct ProgressTests {
    private static let tebibytes10: Int64 = 10_995_116_277_760

    /// What is shown at made-up moments: of a transfer that skipped so much, seconds from the start and bytes done.
    struct Row: Sendable, CustomTestStringConvertible {
        var skipped: Int64
        var moments: [(seconds: Double, done: Int64, rate: Double)]
        var guardsAgainst: String
        var testDescription: String { self.guardsAgainst }
    }

    static let rows = [
        Row(
            skipped: 0, moments: [(0.5, 1000, 2000), (1, 3000, 3000), (2, 3000, 1500), (12, 25_000, 2000)],
            guardsAgainst: "an average over other than the last ten seconds"),
        Row(
            skipped: tebibytes10, moments: [(0.5, tebibytes10 + 1000, 2000), (1, tebibytes10 + 3000, 3000)],
            guardsAgainst: "bytes that --offset or an earlier request has moved"),
        Row(
            skipped: .max - 4096, moments: [(1, .max - 3072, 1024), (2, .max - 2048, 1024)],
            guardsAgainst: "an end of the process above 9.2e15 bytes"),
        Row(
            skipped: 0, moments: [(1, 5000, 5000), (2, 1000, 2500), (4, 4000, 2000)],
            guardsAgainst: "a rate below 0, or one that forgets what was sent, when another try begins anew"),
    ]

    @Test("Only bytes moved meanwhile have a rate", arguments: rows)
    func rates(row: Row) {
        let start = ContinuousClock.now
        var rate = ProgressRate(from: start)
        for (index, step) in row.moments.enumerated() {
            let moment = ProgressMoment(skipped: row.skipped, sent: step.done)
            #expect(rate.take(moment, at: start + .seconds(step.seconds)) == step.rate, "moment \(index)")
        }
    }

    @Test("A send in pieces has one rate: a question between them and a step to another offset change nothing")
    func resumed() {
        let start = ContinuousClock.now
        var rate = ProgressRate(from: start)
        func take(_ seconds: Int, skipped: Int64, _ done: Int64) -> Double {
            let moment = ProgressMoment(skipped: skipped, sent: done, acknowledged: done)
            return rate.take(moment, at: start + .seconds(seconds))
        }
        #expect(take(1, skipped: 0, 4000) == 4000)
        #expect(take(2, skipped: 0, 0) == 2000)
        #expect(take(3, skipped: Self.tebibytes10, Self.tebibytes10 + 500) == 1500)
        #expect(take(4, skipped: Self.tebibytes10, Self.tebibytes10 + 2000) == 1500)
    }

    @Test(
        "Lines and objects of any numbers",
        arguments: [
            (0, Int64?.none, 0.0, "0 B  0 B/s  0:00", "0,null"),
            (
                .max, .max, .infinity, "8192 PiB of 8192 PiB  100%  8192 PiB/s  0:00",
                "9223372036854775807,null"
            ),
            (.max, 1, .nan, "8192 PiB of 1 B  922337203685477580700%  0 B/s  0:00", "0,null"),
            (0, .max, 1e-300, "0 B of 8192 PiB  0%  0 B/s  0:00", "0,null"),
            (0, .max, 1, "0 B of 8192 PiB  0%  1 B/s  ETA 99:59:59", "1,9223372036854775807"),
            (
                .min, .max, -1e300, "-9223372036854775808 B of 8192 PiB  -100%  -9223372036854775808 B/s  0:00",
                "-9223372036854775808,null"
            ),
        ] as [(Int64, Int64?, Double, String, String)])
    func texts(done: Int64, total: Int64?, rate: Double, line: String, numbers: String) throws {
        let moment = ProgressMoment(sent: done, total: total)
        let percentless = { (text: String) in text.replacing(/-?[0-9]+%/, with: "%") }
        #expect(percentless(moment.line(rate: rate, elapsed: 0)) == percentless(line))
        let members = moment.members(rate: rate).filter { ["rate", "eta_s"].contains($0.0) }
        #expect(members.map { OrderedJSON.write($0.1) }.joined(separator: ",") == numbers)
    }

    @Test(
        "Times of any length", arguments: [(Double.nan, "0:00"), (-5, "0:00"), (.infinity, "99:59:59"), (61, "1:01")])
    func clocks(elapsed: Double, text: String) {
        #expect(ProgressMoment(sent: 0).line(rate: 0, elapsed: elapsed) == "0 B  0 B/s  \(text)")
    }

    /// A sparse file on a file system that has such; elsewhere there is nothing to skip.
    @Test(
        "--offset far behind the start neither counts as moved nor ends the command",
        arguments: ["10995116277760", "9223372036854000000", "9223372036854769000"], ["log", "json"])
    func offsets(offset: String, style: String) throws {
        let folder = "/dev/shm/formwork-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        guard try Command.shell("truncate -s 9223372036854770000 huge", in: folder).status == 0 else { return }
        let result = try Command.shell(
            "$F body -F f=@huge --type-from extension --boundary b --offset \(offset) --length 1000 --progress \(style)",
            in: folder)
        #expect(result.status == 0, "\(result.errors)")
        let last = result.errors.split(separator: "\n").last ?? ""
        if style == "json" {
            let object = try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any]
            // A thousand bytes, in a thousandth of a second at least.
            #expect((object?["rate"] as? NSNumber)?.int64Value ?? .max <= 1_000_000, "\(last)")
        } else {
            let rate = last.split(separator: "/s")[0].split(separator: " ").suffix(2)
            #expect(["B", "KiB"].contains(rate.last), "\(last)")
        }
    }

    /// The file ends close to the last offset there is, and the stream behind it goes on.
    @Test("A body that goes on behind the last offset ends with an error")
    func lastOffset() throws {
        let folder = "/dev/shm/formwork-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        guard try Command.shell("truncate -s 9223372036854770000 huge", in: folder).status == 0 else { return }
        let result = try Command.shell(
            "head -c 100000 /dev/zero | $F body -F f=@huge -F g=@- --type-from extension --boundary b "
                + "--offset 9223372036854770000 | wc -c; exit ${PIPESTATUS[1]}", in: folder)
        #expect(result.status == 63, "\(result.errors)")
        #expect(result.errors.contains("The body is longer than 2^63 - 1 bytes."))
        #expect(result.text == "5807\n")
    }
}
