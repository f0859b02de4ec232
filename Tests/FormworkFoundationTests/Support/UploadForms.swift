import Foundation
import FormworkFoundation
import FormworkMigration
import TestSupport
import Testing

/// Bytes without a short period.
func noise(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 7) } }

/// A form with a field, and a part for the source.
func form(_ source: BodySource) -> FormData {
    var form = FormData()
    form.append(name: "field", value: "grüße")
    form.append(name: "content", source: source)
    return form
}

/// Chunks, each given after a pause.
func paused(_ chunks: [[UInt8]], failure: (any Error)? = nil, stops: Bool = false) -> ChunkSource {
    ChunkSource(chunks, failure: failure, stops: stops, pause: .milliseconds(1))
}

/// Runs what blocks where it hurts no task.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}

/// Reads an open stream as Foundation does, until it has no more or fails.
func drain(_ stream: InputStream, by size: Int = 65_536) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: size)
    while stream.hasBytesAvailable {
        let count = stream.read(&buffer, maxLength: size)
        guard count > 0 else { break }
        bytes += buffer[..<count]
    }
    return bytes
}
