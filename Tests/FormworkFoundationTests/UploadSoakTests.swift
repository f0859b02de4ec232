import Foundation
import FormworkFoundation
import FormworkMigration
import FoundationNetworking
import TestSupport
import Testing

/// Run by `scripts/soak/upload`, each way in a process of its own: the peak of memory is a process's.
@Suite(
    "2 GiB in flat memory", .timeLimit(.minutes(120)),
    .enabled(if: ProcessInfo.processInfo.environment["FORMWORK_SOAK"] != nil))
struct UploadSoakTests {
    private static let way = ProcessInfo.processInfo.environment["FORMWORK_SOAK"] ?? ""
    private static let count = Int64(ProcessInfo.processInfo.environment["FORMWORK_SOAK_MIB"] ?? "").map { $0 << 20 }

    /// The most memory this process had, in MiB; the server in it and the test runner count. `getrusage` would tell the
    /// peak of the process that started this one, where that was higher.
    private var peak: Double {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }
        return (kibibytes ?? .infinity) / 1024
    }

    @Test("A way of uploading")
    func upload() async throws {
        let count = Self.count ?? 2 << 30
        let server = try UploadServer(counting: ["/": [.status(200)]])
        let folder = TemporaryFolder()
        let path = try folder.file("sparse", [])
        #expect(truncate(path.string, Int(count)) == 0)
        let isMade = Self.way.hasPrefix("synthetic")
        let plan = try await form(isMade ? .synthetic(SyntheticBytes(.zeros, count: count)) : .file(path)).plan()
        let session = URLSession(configuration: .ephemeral)
        var request = URLRequest(url: server.url("/"))
        request.httpMethod = "POST"
        let (before, begin) = (self.peak, ContinuousClock.now)
        switch Self.way {
        case "upload-task-file":
            _ = try await session.upload(for: request, fromFile: URL(fileURLWithPath: path.string))
        case "upload-task-data": _ = try await session.upload(for: request, from: Data(count: Int(count)))
        default:
            let length = Self.way.hasSuffix("chunked") ? UploadOptions.Length.chunked : .fixed
            let response = try await session.upload(plan, with: request, options: UploadOptions(length: length)).1
            #expect(response.statusCode == 200)
            #expect(server.requests[0].isWhole && server.requests[0].count == Int(plan.contentLength ?? 0))
            #expect(self.peak < 64)
        }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        let rate = Double(count >> 20) / seconds
        print("soak: \(Self.way): \(count >> 20) MiB in \(Int(seconds)) s, \(Int(rate)) MiB/s,", terminator: " ")
        print("peak \(Int(self.peak)) MiB, \(Int(before)) before")
    }
}
