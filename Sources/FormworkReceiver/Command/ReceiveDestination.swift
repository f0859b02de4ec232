import ArgumentParser
import Formwork
import FormworkCommand
import FormworkResumable
import Logging
import ServiceLifecycle

import FormworkEssentials

/// Where `receive` stores files: a folder or an object store.
struct ReceiveDestination: ParsableArguments {
    @Argument(help: "The folder, as with --dir.", completion: .directory)
    private var folder: String?

    /// The folder; `nil` for an object store.
    var dir: String? { self.dirOption ?? self.folder }

    @Option(
        name: .customLong("dir"),
        help: ArgumentHelp("The folder. It is created if only its last component is missing.", valueName: "folder"),
        completion: .directory)
    private var dirOption: String?

    @Option(
        help: ArgumentHelp(
            "An object store instead of a folder. The AWS variables give its address and keys.",
            valueName: "s3://bucket/prefix"))
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

    @Flag(help: "With --dir: replace a file of the same name. Otherwise the new file is named 'name (1).ext'.")
    var overwrite = false

    @Flag(help: "With --dir: answer only after the file is synced to disk.")
    var fsync = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --dir: disk space that uploads must leave free. An upload that needs more is answered 507: before its "
                + "body is read if it announced its length, otherwise when space runs out. (default: 0)",
            valueName: "bytes"), transform: ByteCount.read)
    var freeSpace: ByteCount?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --to: the size of a part of a long file, 5M to 5G. Each upload holds in memory the parts that are being sent, "
                + "and one more. (default: \(ByteCount(Int64(S3Storage.Options().partSize)).text))",
            valueName: "bytes"), transform: ByteCount.read)
    var partSize: ByteCount?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --to: how many parts of one upload are sent at once, 1 to 100. Inside the store, sixteen times as many are "
                + "copied at once. (default: 3, and up to 12 as long as a higher number is faster)", valueName: "number"
        ))
    var partParallelism: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --to: how long an unfinished upload in the store, such as that of a killed receiver, may be idle "
                + "before it is aborted. (default: 24h)",
            valueName: "time"), transform: TimeOption.read)
    var abandonAfter: TimeOption?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --to: how long a request to the store may make no progress, retries included. After that the "
                + "client gets 502. (default: 60)", valueName: "time"), transform: TimeOption.read)
    var storeTimeout: TimeOption?

    @Option(
        name: .customLong("s3-addressing"),
        help: ArgumentHelp(
            "With --to: whether a request names the bucket in its path (path), in its host (virtual), or as the store "
                + "is known to expect it (auto). (default: auto)", valueName: "auto|path|virtual"),
        completion: .list(["auto", "path", "virtual"]))
    var addressing: AddressingOption?

    func validate() throws {
        try GivenPath.check(["--dir": self.dirOption, "the folder": self.folder, "--to": self.to])
        guard self.dirOption == nil || self.folder == nil else {
            throw ValidationError("give the folder once: with --dir, or without")
        }
        switch (self.dir, self.to) {
        case (nil, nil): throw ValidationError("no destination: give --dir FOLDER or --to s3://BUCKET/PREFIX")
        case (_?, _?): throw ValidationError("give --dir or --to, not both")
        case (_?, nil):
            if let name = self.optionOfStore { throw ValidationError("\(name): only works with --to") }
        case (nil, _?):
            if self.overwrite { throw ValidationError("--overwrite: only works with --dir") }
            if self.fsync { throw ValidationError("--fsync: only works with --dir") }
            if self.freeSpace != nil { throw ValidationError("--free-space: only works with --dir") }
            guard (0.1...86_400).contains(self.storeTimeout?.seconds ?? 1) else {
                throw ValidationError("--store-timeout: give 0.1 to 86400 seconds")
            }
            guard (.seconds(1)...(TimeOption.day * 365)).contains(self.age) else {
                throw ValidationError("--abandon-after: give 1s to 365d")
            }
        }
    }

    private var optionOfStore: String? {
        if self.partSize != nil { return "--part-size" }
        if self.partParallelism != nil { return "--part-parallelism" }
        if self.storeTimeout != nil { return "--store-timeout" }
        if self.abandonAfter != nil { return "--abandon-after" }
        return self.addressing == nil ? nil : "--s3-addressing"
    }

    /// Opens the folder, or checks that the store can be reached and removes what killed receivers left there.
    /// - Throws: `ExitStatus` for an object store that can't be used, `FormworkError` for a folder.
    /// - Parameter hasFolders: Whether uploads may have folders that aren't in their paths, as those of links.
    func open(_ logger: Logger, _ metrics: MemoryMetrics?, hasFolders: Bool) async throws -> any ReceiverStorage {
        guard let url = self.to else {
            return try FolderStorage(
                FilePath(self.dir ?? ""), replacing: self.overwrite, durably: self.fsync,
                freeBytes: self.freeSpace?.bytes ?? 0)
        }
        guard url.lowercased().hasPrefix("s3://") else {
            let shown = ShellQuote.quote(SecretText.masked(url: url)).withControlCharactersEscaped
            throw ExitStatus(2, "formwork: --to \(shown): is not s3://bucket/prefix")
        }
        var options = S3Storage.Options()
        if let partSize { options.partSize = Int(clamping: partSize.bytes) }
        if let partParallelism { options.partsAtOnce = partParallelism...partParallelism }
        if let storeTimeout { options.patience.total = storeTimeout.duration }
        options.keepsPaths = self.keepPaths || hasFolders
        options.metrics = metrics.map { StoreMetrics($0) }
        if let addressing { options.addressing = addressing.addressing }
        let storage = try S3Storage(
            from: url, environment: ProcessInfo.processInfo.environment, options: options, logger: logger)
        do {
            while true {
                do {
                    _ = try await storage.sweep(olderThan: self.age)
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
            throw ExitStatus(cause?.isTransient == true ? 7 : 2, "formwork: \(error)")
        }
    }

    /// Services that have to run beside the receiver.
    func services(
        for storage: any ReceiverStorage, _ uploads: BucketUploads?, _ unfinished: UploadStore?, _ logger: Logger
    ) -> [any Service] {
        switch storage {
        case let storage as S3Storage:
            [S3Sweeper(storage, olderThan: self.age) { try await uploads?.removeLeftovers() }]
        case let storage as FolderStorage:
            [FolderSweeper(storage: storage, uploads: unfinished, logger: logger)]
        default: []
        }
    }

    private var age: Duration { self.abandonAfter?.duration ?? TimeOption.day }
}

/// What to do with fields.
enum FieldsOption: String, ChoiceOption { case json, drop }

/// How a request names its bucket.
struct AddressingOption: ExpressibleByArgument {
    let addressing: S3Addressing

    init?(argument: String) {
        guard let addressing = S3Addressing(rawValue: argument) else { return nil }
        self.addressing = addressing
    }

    static var allValueStrings: [String] { S3Addressing.allCases.map(\.rawValue) }
}
