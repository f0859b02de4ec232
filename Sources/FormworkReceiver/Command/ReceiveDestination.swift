import ArgumentParser
import Formwork
import FormworkCommand
import FormworkResumable
import Logging
import FormworkEssentials

/// Where `receive` stores files: a folder or an object store.
struct ReceiveDestination: ParsableArguments {
    @Argument(
        help: "The folder for the files. It is created if only its last component is missing.", completion: .directory)
    private var folder: String?

    /// The folder; `nil` for an object store.
    var dir: String? { self.dirOption ?? self.folder }

    // The folder's name in scripts of before.
    @Option(name: .customLong("dir"), help: ArgumentHelp(visibility: .hidden), completion: .directory)
    private var dirOption: String?

    @Option(
        value: "s3://bucket/prefix",
        "An object store instead of a folder. The AWS variables give its address and keys.")
    var to: String?

    @Flag(
        help: """
            Keep the folders of a file's path (from a chosen folder, a filename with slashes or a PUT's path) below \
            the destination. Otherwise only the last component is used.
            """)
    var keepPaths = false

    @Option(
        help: """
            What to do with a form's text fields: json stores them in NAME.form.json, beside the form's first file \
            NAME; drop only returns them in the answer.
            """)
    var fields: FieldsOption = .json

    @Flag(help: "With a folder: replace a file of the same name. Otherwise the new file is named 'name (1).ext'.")
    var overwrite = false

    @Flag(help: "With a folder: answer only after the file is synced to disk.")
    var fsync = false

    @Option(
        bytes: "With a folder: disk space that uploads must leave free. An upload that needs more is answered 507: "
            + "before its body is read if it announced its length, otherwise when space runs out. (default: 0)")
    var freeSpace: ByteCount?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "With --to: a setting of the store. Can be repeated.",
            discussion: """
                part-size=BYTES (\(ByteCount(Int64(S3Storage.Options().partSize)).text); 5M to 5G) is the size of a part of a long \
                file; each upload holds in memory the parts that are being sent, and one more. part-parallelism=NUMBER (3, and up \
                to 12 as long as a higher number is faster; 1 to 100) is how many parts of one upload are sent at once; inside the \
                store, sixteen times as many are copied at once. abandon-after=TIME (24h) is how long an unfinished upload in the \
                store, such as that of a killed receiver, may be idle before it is aborted. timeout=TIME (60) is how long a request \
                to the store may make no progress, retries included; after that the client gets 502. addressing=auto, path or \
                virtual: whether a request names the bucket in its path, in its host, or as the store is known to expect it (auto).
                """, valueName: "name=value"),
        completion: .list(StoreSetting.names.map { "\($0)=" }), transform: StoreSetting.read)
    var s3: [StoreSetting] = []

    func validate() throws {
        try GivenPath.check(["--dir": self.dirOption, "the folder": self.folder, "--to": self.to])
        let (isFolder, isBucket) = (self.dir != nil, self.to != nil)
        try ValidationError.check([
            "give the folder once": self.dirOption != nil && self.folder != nil,
            "no destination: give a FOLDER or --to s3://BUCKET/PREFIX": !isFolder && !isBucket,
            "give a folder or --to, not both": isFolder && isBucket,
            "--s3: only works with --to": isFolder && !self.s3.isEmpty,
            "--overwrite: only works with a folder": isBucket && self.overwrite,
            "--fsync: only works with a folder": isBucket && self.fsync,
            "--free-space: only works with a folder": isBucket && self.freeSpace != nil,
        ])
    }

    /// Opens the folder, or checks that the store can be reached and removes what killed receivers left there.
    /// - Throws: `ExitStatus` for an object store that can't be used, `FormworkError` for a folder.
    /// - Parameter hasFolders: Whether uploads may have folders that aren't in their paths, as those of links.
    func open(
        _ logger: Logger, _ metrics: MemoryMetrics?, hasFolders: Bool
    ) async throws -> any ReceiveStorage {
        guard let url = self.to else {
            return try FolderStorage(
                FilePath(self.dir ?? ""), replacing: self.overwrite, durably: self.fsync,
                freeBytes: self.freeSpace?.bytes ?? 0)
        }
        guard url.lowercased().hasPrefix("s3://") else {
            throw GivenValue("--to", url: url).fails("is not s3://bucket/prefix")
        }
        var options = S3Storage.Options()
        for setting in self.s3 { setting.apply(&options) }
        options.keepsPaths = self.keepPaths || hasFolders
        options.metrics = metrics
        let storage = try S3Storage(
            from: url, environment: ProcessInfo.processInfo.environment, options: options, logger: logger)
        do {
            while true {
                do {
                    _ = try await storage.sweep()
                    return storage
                } catch let error as FormworkError {
                    // The arguments are right: a store that answers that it is overloaded won't be later.
                    guard let cause = error.cause as? S3Error, cause.isTransient, cause.status != 0 else { throw error }
                    logger.warning("waiting for the store", metadata: ["reason": "\(error)"])
                    try await Task.sleep(for: .seconds(5))
                }
            }
        } catch {
            await storage.close()
            let cause = (error as? FormworkError)?.cause as? S3Error
            throw ExitStatus(cause?.isTransient == true ? 7 : 2, "\(error)")
        }
    }
}

/// A storage that `receive` opens.
protocol ReceiveStorage: ReceiverStorage {
    /// Bytes of the buffer that each upload needs at least.
    var bufferBytes: Int { get }
    /// A hidden folder for small files.
    /// - Throws: `writeFailed` if the storage can't have any.
    func box(_ name: String) throws -> any RecordBox
    /// Looks regularly for what killed receivers have left.
    /// - Parameters:
    ///   - bucket: The bucket's unfinished uploads.
    ///   - unfinished: The unfinished uploads, wherever they are.
    func sweeper(_ bucket: BucketUploads?, _ unfinished: UploadStore?, _ logger: Logger) -> Sweeper
    /// Releases its connections. All uploads have ended before.
    func close() async
}

extension FolderStorage: ReceiveStorage {
    var bufferBytes: Int { 0 }
    func box(_ name: String) throws -> any RecordBox { try FolderRecordBox(in: self.path, name) }
    func close() async {}

    func sweeper(_ bucket: BucketUploads?, _ unfinished: UploadStore?, _ logger: Logger) -> Sweeper {
        self.sweeper(unfinished, logger)
    }
}

extension S3Storage: ReceiveStorage {
    func box(_ name: String) -> any RecordBox { BucketRecordBox(self, name) }

    func sweeper(_ bucket: BucketUploads?, _ unfinished: UploadStore?, _ logger: Logger) -> Sweeper {
        self.sweeper { try await bucket?.removeLeftovers() }
    }
}

/// What to do with fields.
enum FieldsOption: String, ChoiceOption { case json, drop }

/// A setting of the object store: `part-size=64M`.
struct StoreSetting: Sendable {
    let apply: @Sendable (inout S3Storage.Options) -> Void

    static let names = ["part-size", "part-parallelism", "abandon-after", "timeout", "addressing"]

    /// An option's value.
    static func read(_ argument: String) throws -> StoreSetting {
        let words = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let value = words.count > 1 ? words[1] : ""
        switch words[0] {
        case "part-size":
            let size = Int(clamping: try ByteCount.read(value).bytes)
            return Self { $0.partSize = size }
        case "part-parallelism":
            guard let count = Int(value) else { throw ValidationError("part-parallelism: give 1 to 100") }
            return Self { $0.partsAtOnce = count...count }
        case "abandon-after":
            let time = try TimeOption.read(value).duration
            guard (.seconds(1)...(TimeOption.day * 365)).contains(time) else {
                throw ValidationError("abandon-after: give 1s to 365d")
            }
            return Self { $0.abandonAfter = time }
        case "timeout":
            let time = try TimeOption.read(value)
            guard (0.1...86_400).contains(time.seconds) else {
                throw ValidationError("timeout: give 0.1 to 86400 seconds")
            }
            return Self { [time = time.duration] in $0.patience.total = time }
        case "addressing":
            guard let addressing = S3Addressing(rawValue: value) else {
                throw ValidationError("addressing: choose one of auto, path, virtual")
            }
            return Self { $0.addressing = addressing }
        default: throw ValidationError("write NAME=VALUE with one of \(self.names.joined(separator: ", "))")
        }
    }
}
