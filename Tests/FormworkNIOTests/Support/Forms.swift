import AsyncHTTPClient
import Foundation
import Formwork
import FormworkClient
import NIOCore
import Synchronization
import TestSupport
import Testing

/// All tests of this module, one after the other: some measure the memory of the process.
@Suite("FormworkNIO", .timeLimit(.minutes(10)), .serialized)
enum NIOTests {}

/// Bytes without a pattern that a wrong offset would hide.
func noise(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 7) } }

/// A form with a field, and a part for the source.
func form(_ source: BodySource) throws -> FormData {
    var form = FormData(framing: MultipartFraming(boundary: try Boundary("harbour")))
    form.append(name: "field", value: "grüße")
    form.append(name: "content", source: source)
    return form
}

/// Runs with a client of its own.
func withClient<Result: Sendable>(
    _ configuration: HTTPClient.Configuration = HTTPClient.Configuration(),
    _ body: (HTTPClient) async throws -> Result
) async throws -> Result {
    let client = HTTPClient(configuration: configuration)
    do {
        let result = try await body(client)
        try await client.shutdown()
        return result
    } catch {
        try? await client.shutdown()
        throw error
    }
}

extension UploadServer.Request {
    /// The CRC-32C of its body.
    var crc: UInt32 {
        var crc = CRC32C()
        crc.update(self.body.span.bytes)
        return crc.finalized().reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension TemporaryFolder {
    /// A file of a block, again and again.
    func file(_ name: String, _ block: [UInt8], times: Int) throws -> FilePath {
        let path = self.path.appending(name)
        let file = try FileDescriptor.open(
            path, .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
        defer { try? file.close() }
        for _ in 0..<times { try file.writeAll(block) }
        return path
    }

    /// A file of zeros that uses no disk space.
    func sparseFile(_ name: String, count: Int64) throws -> FilePath {
        let path = self.path.appending(name)
        guard FileManager.default.createFile(atPath: path.string, contents: nil) else { throw Errno.ioError }
        guard truncate(path.string, off_t(count)) == 0 else { throw Errno.ioError }
        return path
    }

    /// Waits until nothing in here is open.
    func isClosed() async throws -> Bool {
        for _ in 0..<500 where openDescriptors(leadingInto: self.path) > 0 {
            try await Task.sleep(for: .milliseconds(10))
        }
        return openDescriptors(leadingInto: self.path) == 0
    }
}

/// Resident memory in bytes.
func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
}

// Not in the module map of the C library.
@_silgen_name("malloc_trim") private func trim(_ padding: Int) -> CInt

/// Measures how much resident memory grows at most while `body` runs.
func peakGrowth(_ body: () async throws -> Void) async throws -> Int {
    // Memory released by earlier tests would hide what this one uses.
    _ = trim(0)
    let before = residentBytes()
    let peak = Mutex(before)
    let shared = Shared(peak)
    let watch = Task {
        while !Task.isCancelled {
            shared.note(residentBytes())
            try? await Task.sleep(for: .milliseconds(5))
        }
    }
    defer { watch.cancel() }
    try await body()
    return shared.peak - before
}

private final class Shared: Sendable {
    private let value: Mutex<Int>
    init(_ value: consuming Mutex<Int>) { self.value = value }
    func note(_ bytes: Int) { self.value.withLock { $0 = max($0, bytes) } }
    var peak: Int { self.value.withLock { $0 } }
}
