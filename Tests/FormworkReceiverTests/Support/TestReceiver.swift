import Foundation
@testable import FormworkReceiver
import FormworkResumable
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

/// A receiver in this process, on a port of its own.
struct TestReceiver: Sendable {
    let port: Int
    let folder: TemporaryFolder
    let group: ServiceGroup
    let service: ReceiverService
    let log: LogLines
    /// Whether its service has ended.
    let hasEnded: Local<Bool>

    /// Runs a test against a receiver, and stops it.
    static func run(
        _ change: (inout ReceiverOptions) throws -> Void = { _ in }, in folder: TemporaryFolder = TemporaryFolder(),
        storage: (any ReceiverStorage)? = nil, store: UploadStore? = nil, hooks: Hooks? = nil,
        metrics: MemoryMetrics? = nil, _ test: @escaping @Sendable (TestReceiver) async throws -> Void
    ) async throws {
        var options = ReceiverOptions()
        // A busy machine must not count as a slow client.
        options.pace.idleTime = .seconds(300)
        options.grace = .seconds(60)
        try change(&options)
        let log = LogLines()
        let ports = AsyncStream<Int>.makeStream()
        let hasEnded = Local(false)
        let service = try ReceiverService(
            options, storage: storage ?? FolderStorage(folder.path), store: store, hooks: hooks, metrics: metrics,
            logger: Logger(label: "test") { _ in log.handler }
        ) { address in ports.continuation.yield(address.port ?? 0) }
        let group = ServiceGroup(
            configuration: .init(
                services: [service], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                try await group.run()
                hasEnded.value = true
            }
            for await port in ports.stream {
                try await test(
                    TestReceiver(
                        port: port, folder: folder, group: group, service: service, log: log, hasEnded: hasEnded))
                break
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    /// The same with a folder for unfinished uploads.
    static func resuming(
        _ change: (inout ReceiverOptions) throws -> Void = { _ in }, options: UploadStoreOptions = UploadStoreOptions(),
        metrics: MemoryMetrics? = nil, _ test: @escaping @Sendable (TestReceiver, UploadStore) async throws -> Void
    ) async throws {
        let uploads = TemporaryFolder()
        let store = UploadStore(uploads.path, options: options)
        try await Self.run(change, store: store, metrics: metrics) { try await test($0, store) }
        withExtendedLifetime(uploads) {}
    }

    func connect() throws -> RawConnection { try RawConnection(port: self.port) }

    /// Sends one request, and gives all of its answer without the informational ones, of which a slow machine gets more;
    /// the connection ends with it.
    func request(_ line: String, _ fields: [String] = [], _ body: String = "") async throws -> RawAnswer {
        try await self.request(line, fields, Array(body.utf8))
    }

    func request(_ line: String, _ fields: [String] = [], _ body: [UInt8]) async throws -> RawAnswer {
        let connection = try self.connect()
        var head = ["\(line) HTTP/1.1"]
        if !fields.contains(where: { $0.hasPrefix("Host:") }) { head.append("Host: localhost:\(self.port)") }
        head += fields + ["Connection: close"]
        if !body.isEmpty, !fields.contains(where: { $0.hasPrefix("Content-Length:") || $0.hasPrefix("Transfer-") }) {
            head.append("Content-Length: \(body.count)")
        }
        await connection.send(Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
        return RawAnswer(await connection.receiveAll()).final
    }

    /// The status of the answer to a request.
    func status(_ line: String, _ fields: [String] = [], _ body: String = "") async throws -> Int {
        try await self.request(line, fields, body).status
    }

    func status(_ line: String, _ fields: [String] = [], _ body: [UInt8]) async throws -> Int {
        try await self.request(line, fields, body).status
    }

    /// Begins a resumable upload.
    /// - Returns: The path of its URL.
    func begin(_ line: String, _ fields: [String], _ body: String = "") async throws -> String {
        let answer = try await self.request(line, fields, body)
        try #require(answer.status == 201, "\(answer)")
        return try #require(answer.field("Location"))
    }

    /// Waits until a file is arriving.
    func isReceiving() async throws -> Bool {
        try await self.eventually { try await self.request("GET /files.json").body.contains("receiving") }
    }

    /// Waits until something holds, ten seconds at most.
    func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<500 {
            if try await condition() { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }
}

extension AWSSettings {
    /// Those of a store of the tests.
    static func test(_ endpoint: String) throws -> AWSSettings {
        try AWSSettings(environment: [
            "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_ENDPOINT_URL_S3": endpoint,
        ])
    }
}

extension S3Storage {
    /// One for a store of the tests, in which parts may be short.
    convenience init(
        testing endpoint: String, _ options: Options, at url: String = "s3://bucket/in", smallestPart: Int = 1
    ) throws {
        try self.init(
            location: S3Location(url), settings: .test(endpoint), smallestPart: smallestPart, options: options,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Runs a test, and closes the storage.
    func closing<Result>(_ test: (S3Storage) async throws -> Result) async throws -> Result {
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await test(self)) } catch { result = .failure(error) }
        await self.close()
        return try result.get()
    }
}

/// An answer as it came.
struct RawAnswer {
    var head: String
    var body: String

    init(_ text: String) {
        let end = text.firstRange(of: "\r\n\r\n")
        self.head = end.map { String(text[..<$0.lowerBound]) } ?? text
        self.body = end.map { String(text[$0.upperBound...]) } ?? ""
    }

    var status: Int { Int(self.head.split(separator: " ").dropFirst().first ?? "") ?? 0 }

    /// The answer after an informational one.
    var final: RawAnswer { (100..<200).contains(self.status) ? RawAnswer(self.body).final : self }

    func field(_ name: String) -> String? {
        self.head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
            .map { String($0.dropFirst(name.count + 2)) }
    }
}

/// The log lines of a receiver.
final class LogLines: Sendable {
    private let lines = Mutex([String]())

    var all: [String] { self.lines.withLock { $0 } }
    var handler: any LogHandler { Handler(log: self) }

    private struct Handler: LogHandler {
        let log: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let values = self.metadata.merging(event.metadata ?? [:]) { $1 }
            let pairs = values.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
            self.log.lines.withLock { $0.append("\(event.message)\(pairs.joined())") }
        }
    }
}

/// A form with one part for each pair, as curl writes it: `name;filename` begins a file.
func formBody(_ parts: [(String, String)], boundary: String = "b") -> String {
    parts.map { name, value in
        let words = name.split(separator: ";", maxSplits: 1)
        let file = words.count == 2 ? "; filename=\"\(words[1])\"\r\nContent-Type: text/plain" : ""
        return "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(words[0])\"\(file)\r\n\r\n\(value)\r\n"
    }.joined() + "--\(boundary)--\r\n"
}

/// A value that one closure stores for another.
final class Local<Value: Sendable>: Sendable {
    private let state: Mutex<Value>
    init(_ value: Value) { self.state = Mutex(value) }
    var value: Value {
        get { self.state.withLock { $0 } }
        set { self.state.withLock { $0 = newValue } }
    }
}
