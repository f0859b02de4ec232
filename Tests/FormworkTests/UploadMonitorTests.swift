@testable import Formwork
import Synchronization
import Testing

@Suite("Following an upload", .timeLimit(.minutes(10)))
struct UploadMonitorTests {
    private func report(_ monitor: UploadMonitor, _ sent: Int64, of total: Int64? = 100) {
        monitor.update { ($0.sent, $0.total) = (sent, total) }
    }

    @Test("The moment it began and the last one always come; the sequence ends with the upload")
    func ends() async {
        let monitor = UploadMonitor()
        let progress = monitor.progress(every: .seconds(1000))
        for sent in 0...100 { self.report(monitor, Int64(sent)) }
        monitor.finish()
        var last: UploadProgress?
        for await moment in progress { last = moment }
        #expect(last?.sent == 100 && last?.fractionCompleted == 1)
        var after: [Int64] = []
        for await moment in monitor.progress { after.append(moment.sent) }
        #expect(after == [100], "who comes late gets the last moment")
    }

    @Test("An observer beside a monitor keeps its own rate")
    func observer() async throws {
        let reports = Atomic(0)
        let observed = ReaderOptions(
            progress: { _ in reports.add(1, ordering: .relaxed) }, progressInterval: .seconds(3600))
        var form = formB()
        form.append(name: "f", source: .synthetic(SyntheticBytes(.zeros, count: 1000)))
        let options = UploadOptions(monitor: UploadMonitor(), reading: observed)
        let reader = try await form.plan().makeReader(options: options.readerOptions)
        while try !reader.read(upTo: 200).isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        #expect(reports.load(ordering: .relaxed) == 2, "the first and the last")
    }

    @Test("An observer beside a monitor has the first and the last report of every try", arguments: [true, false])
    func tries(isLengthKnown: Bool) async throws {
        let positions = Mutex<[Int64]>([])
        let observed = ReaderOptions(
            progress: { progress in positions.withLock { $0.append(progress.sent) } },
            progressInterval: .seconds(3600))
        var form = formB()
        let zeros = [UInt8](repeating: 0, count: 1000)
        form.append(
            name: "f",
            source: .stream(length: isLengthKnown ? 1000 : nil) { DripStream(zeros, from: Int($0), step: 500) })
        let options = UploadOptions(monitor: UploadMonitor(), reading: observed).readerOptions
        let plan = try await form.plan()
        for _ in 0..<2 {
            let reader = try plan.makeReader(options: options)
            while try !reader.read(upTo: 200).isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        }
        let seen = positions.withLock { $0 }
        #expect(seen.count == 4)
        #expect(seen.dropFirst().first == 1058 && seen.last == 1058)
    }

    @Test("An observer beside a monitor has a report of every try of a body that is read in one piece")
    func onePiece() async throws {
        let positions = Mutex<[Int64]>([])
        let observed = ReaderOptions(
            progress: { progress in positions.withLock { $0.append(progress.sent) } },
            progressInterval: .seconds(3600))
        let options = UploadOptions(monitor: UploadMonitor(), reading: observed).readerOptions
        let plan = try await formB().plan()
        let length = try #require(plan.contentLength)
        for _ in 0..<3 {
            let reader = try plan.makeReader(options: options)
            while try !reader.read(upTo: 4096).isEmpty {}
        }
        #expect(positions.withLock { $0 } == [length, length, length])
    }

    @Test("Retry-After is seconds or a date")
    func retryAfter() {
        // 784111777 is that date.
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(RetryAfter.delay("7", now: 0) == .seconds(7))
        #expect(RetryAfter.delay(date, now: 784_111_770) == .seconds(7))
        #expect(RetryAfter.delay(date, now: 784_111_800) == .zero)
        #expect(RetryAfter.delay("99999999999999999999", now: 0) == .seconds(1_000_000_000))
        for value in [nil, "", "-1", "soon", "1.5"] { #expect(RetryAfter.delay(value, now: 0) == nil) }
    }

    @Test("A follower that doesn't read holds up nothing, and gets the newest")
    func slowFollower() async {
        let monitor = UploadMonitor()
        var iterator = monitor.progress(every: .zero).makeAsyncIterator()
        for sent in 1...10_000 { self.report(monitor, Int64(sent), of: nil) }
        #expect(await iterator.next()?.sent == 10_000)
    }

    @Test("Two follow at once, and one that stops leaves the other")
    func twoFollowers() async {
        let monitor = UploadMonitor()
        let (first, second) = (monitor.progress(every: .zero), monitor.progress(every: .zero))
        for await _ in first { break }
        self.report(monitor, 7)
        monitor.finish()
        var last: Int64?
        for await moment in second { last = moment.sent }
        #expect(last == 7)
    }

    @Test("The fraction is of what is known", arguments: [(0, nil, nil), (0, 0, 1.0), (50, 200, 0.25), (300, 200, 1)])
    func fraction(sent: Int64, total: Int64?, fraction: Double?) {
        var progress = UploadProgress()
        (progress.sent, progress.total) = (sent, total)
        #expect(progress.fractionCompleted == fraction)
    }
}
