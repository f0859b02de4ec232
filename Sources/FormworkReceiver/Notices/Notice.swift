import FormworkEssentials
import FormworkHTTP
import FormworkSystem
import NIOPosix

/// A message as it is kept until a hook has it.
struct Notice: Codable, Sendable {
    /// What makes a file of an upload recognizable in its storage.
    struct Trace: Codable, Hashable, Sendable {
        /// The path that it gets, or one with a number.
        var path: String
        /// The mark of its object.
        var mark: String
    }

    var event: HookEvent
    /// The files of an upload that was being stored when this was written; `nil` if the outcome is known.
    var traces: [Trace]?
    /// The name of an unfinished upload that was being removed when this was written.
    var removing: String?

    init(_ event: HookEvent, traces: [Trace]? = nil, removing: String? = nil) {
        (self.event, self.traces, self.removing) = (event, traces, removing)
    }

    init?(_ bytes: [UInt8]) {
        guard let notice = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
        self = notice
    }

    var bytes: [UInt8] { JSONBytes.encode(self) }
}

/// The message that files were stored, for a storage to keep in the same step.
struct StoredNotice: Sendable {
    /// Where it is kept.
    var box: any RecordBox
    var name: String
    /// Makes the message from the final names of the files, and of the record if there is one.
    var event: @Sendable ([String]) -> HookEvent

    /// The message for these names.
    func bytes(_ names: [String]) -> [UInt8] { Notice(self.event(names)).bytes }

    /// What is kept while the files are being stored.
    func intent(_ traces: [Notice.Trace]) -> [UInt8] {
        Notice(self.event(traces.map(\.path)), traces: traces).bytes
    }
}

/// Small records that outlive a receiver: messages that wait until a hook has them, and the uses of upload links. Another
/// receiver, or the next one, finds those of a receiver that was killed.
protocol RecordBox: Sendable {
    /// Keeps a message, instead of the one with this name.
    func put(_ bytes: [UInt8], _ name: String) async throws
    /// Keeps a message, unless there is one with this name.
    /// - Returns: Whether there was none.
    func add(_ bytes: [UInt8], _ name: String) async throws -> Bool
    /// A message; `nil` if there is none.
    func get(_ name: String) async throws -> [UInt8]?
    func remove(_ name: String) async throws
    /// All messages, with the seconds since they were written.
    func list() async throws -> [(name: String, age: Double)]
    /// How old a message must be before a process that hasn't written it sends it, in seconds.
    var leastAge: Double { get }
    /// The name that a file got; `nil` if it isn't there.
    func name(of trace: Notice.Trace) async throws -> String?
}

extension RecordBox {
    /// Messages without traces need none.
    func name(of trace: Notice.Trace) async throws -> String? { nil }
}

/// Records in a hidden folder of the destination, where a publication makes them appear together with its files.
struct FolderRecordBox: RecordBox {
    static let folderName = ".formwork-hooks"
    private static let suffix = ".json"

    private let folder: AtomicFolder

    var leastAge: Double { 0 }

    /// - Parameters:
    ///   - destination: The folder of the files.
    ///   - name: The hidden folder in it.
    /// - Throws: `writeFailed`.
    init(in destination: FilePath, _ name: String = folderName) throws(FormworkError) {
        self.folder = try AtomicFolder(private: name, in: AtomicFolder(destination))
    }

    /// The path of a message, below the destination.
    static func safePath(_ name: String) -> SafePath {
        SafePath(SafeFilename(unchecked: name + self.suffix), in: [SafeFilename(unchecked: self.folderName)])
    }

    func put(_ bytes: [UInt8], _ name: String) async throws { try await self.keep(bytes, name, .replacing) }

    func add(_ bytes: [UInt8], _ name: String) async throws -> Bool {
        do { try await self.keep(bytes, name, .exclusive) } catch let error as FormworkError
            where error.cause as? Errno == .fileExists
        { return false }
        return true
    }

    private func keep(_ bytes: [UInt8], _ name: String, _ rule: PublishingRule) async throws {
        try await NIOThreadPool.singleton.runIfActive {
            let file = try self.folder.makeFile()
            defer { file.close() }
            try file.write(bytes)
            _ = try file.publish(as: SafeFilename(unchecked: name + Self.suffix), rule, durably: false)
        }
    }

    func get(_ name: String) async throws -> [UInt8]? {
        try await NIOThreadPool.singleton.runIfActive { try self.folder.bytes(ofOwn: name + Self.suffix) }
    }

    func remove(_ name: String) async throws {
        try await NIOThreadPool.singleton.runIfActive { self.folder.removeFile(name + Self.suffix) }
    }

    func list() async throws -> [(name: String, age: Double)] {
        try await NIOThreadPool.singleton.runIfActive {
            let names = try SystemCalls.names(in: self.folder.descriptor)
            let now = Date.now.timeIntervalSince1970
            return names.filter { $0.hasSuffix(Self.suffix) && !$0.hasPrefix(".") }.map { name in
                // One that has gone in the meantime has no age, nor has one of a clock that was ahead.
                let written = (try? SystemCalls.status(of: name, in: self.folder.descriptor))?.validator.modified
                return (String(name.dropLast(Self.suffix.count)), written.map { max(0, now - Double($0.seconds)) } ?? 0)
            }
        }
    }
}
