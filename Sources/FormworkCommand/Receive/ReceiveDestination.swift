#if Transfer
import ArgumentParser
import Formwork
import FormworkReceiver
import Logging
import ServiceLifecycle
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where `receive` puts files: a folder, or an object store.
struct ReceiveDestination: ParsableArguments {
    @Option(help: ArgumentHelp("The folder; made if only its last component is missing.", valueName: "folder"))
    var dir: String?

    @Option(
        help: ArgumentHelp(
            "An object store, instead of a folder; the AWS variables say where it is, and with which keys.",
            valueName: "s3://bucket/prefix"))
    var to: String?

    @Flag(
        help: """
            Keep the folders of a file's path, from a chosen folder, a filename with slashes or a PUT's path, below the \
            destination. Without it files have their last component alone.
            """)
    var keepPaths = false

    @Option(
        help: """
            What becomes of a form's text fields: json keeps them in NAME.form.json, beside the form's first file NAME, \
            drop answers them only.
            """)
    var fields: FieldsOption = .json

    @Flag(help: "With --dir: replace a file of the same name; it becomes 'name (1).ext' otherwise.")
    var overwrite = false

    @Flag(help: "With --dir: answer only when the disk has the file.")
    var fsync = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --dir: what uploads leave free on the disk; beyond, and where there is no room for a body that says its "
                + "length, the answer is 507 before a byte of it is taken. (default: 0)", valueName: "bytes"))
    var freeSpace: ByteCount?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --to: a part of a long file, 5M to 5G, of which each upload holds one more in memory than "
                + "--part-parallelism. (default: \(ByteCount(Int64(S3Storage.Options().partSize)).defaultValueDescription))",
            valueName: "bytes"))
    var partSize: ByteCount?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --to: parts of one upload on their way at once, 1 to 100. "
                + "(default: \(S3Storage.Options().parallelism))", valueName: "number"))
    var partParallelism: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --to: how long nothing may have come of an upload that was left there, by a killed receiver say, "
                + "before one that starts, or runs, aborts it: 90s, 15m, 24h or 7d. (default: 24h)",
            valueName: "time"))
    var abandonAfter: AgeOption?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --to: how long the store may be asked for something while nothing moves, tries included; then the client "
                + "gets 502. (default: 60)", valueName: "seconds"))
    var storeTimeout: Double?

    @Option(
        name: .customLong("s3-addressing"),
        help: ArgumentHelp(
            "With --to: whether a request names the bucket in its path, in its host (virtual), or as the store is known "
                + "to want it (auto). (default: auto)", valueName: "auto|path|virtual"))
    var addressing: AddressingOption?

    func validate() throws {
        switch (self.dir, self.to) {
        case (nil, nil): throw ValidationError("where to? give --dir FOLDER or --to s3://BUCKET/PREFIX")
        case (_?, _?): throw ValidationError("--dir and --to: give one of them")
        case (_?, nil):
            if let name = self.optionOfStore { throw ValidationError("\(name): only --to has this option") }
        case (nil, _?):
            if self.overwrite { throw ValidationError("--overwrite: in an object store nothing is replaced") }
            if self.fsync { throw ValidationError("--fsync: only --dir has this option") }
            if self.freeSpace != nil { throw ValidationError("--free-space: only --dir has this option") }
            guard (0.1...86_400).contains(self.storeTimeout ?? 1) else {
                throw ValidationError("--store-timeout: give 0.1 to 86400 seconds")
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

    /// Opens the folder, or looks whether the store can be reached, and removes what killed receivers left there.
    /// - Throws: `ExitStatus` for an object store that can't be used, `FormworkError` for a folder.
    func open(_ logger: Logger) async throws -> any ReceiverStorage {
        guard let url = self.to else {
            return try FolderStorage(
                FilePath(self.dir ?? ""), replacing: self.overwrite, durably: self.fsync,
                freeBytes: self.freeSpace?.bytes ?? 0)
        }
        guard url.lowercased().hasPrefix("s3://") else {
            let shown = ShellQuote.quote(url).withControlCharactersEscaped
            throw ExitStatus(2, "formwork: --to \(shown): is no s3://bucket/prefix")
        }
        var options = S3Storage.Options()
        if let partSize { options.partSize = Int(clamping: partSize.bytes) }
        if let partParallelism { options.parallelism = partParallelism }
        if let storeTimeout { options.patience.total = .seconds(storeTimeout) }
        options.keepsPaths = self.keepPaths
        if let addressing { options.addressing = addressing.addressing }
        let storage = try S3Storage(
            from: url, environment: ProcessInfo.processInfo.environment, options: options, logger: logger)
        do { try await storage.sweep(olderThan: self.age) } catch {
            await storage.close()
            throw ExitStatus(2, "formwork: \(error)")
        }
        return storage
    }

    /// What has to run beside the receiver.
    func services(for storage: any ReceiverStorage) -> [any Service] {
        (storage as? S3Storage).map { [S3Sweeper($0, olderThan: self.age)] } ?? []
    }

    private var age: Duration { self.abandonAfter?.duration ?? AgeOption.day }
}

/// What becomes of fields.
enum FieldsOption: String, ExpressibleByArgument, CaseIterable { case json, drop }

/// A time in one unit: `90s`, `15m`, `24h`, `7d`.
struct AgeOption: ExpressibleByArgument {
    static let day = Duration.seconds(86_400)
    let duration: Duration

    init?(argument: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = argument.last.flatMap({ units[$0] }), argument.first != "+",
            let count = Int64(argument.dropLast()), (0...1_000_000).contains(count)
        else { return nil }
        self.duration = .seconds(count * unit)
    }
}

/// How a request names its bucket.
struct AddressingOption: ExpressibleByArgument {
    let addressing: S3Addressing

    init?(argument: String) {
        guard let addressing = S3Addressing(rawValue: argument) else { return nil }
        self.addressing = addressing
    }

    static var allValueStrings: [String] { S3Addressing.allCases.map(\.rawValue) }
}
#endif
