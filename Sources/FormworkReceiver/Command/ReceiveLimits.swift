import ArgumentParser
import Formwork
import FormworkCommand

/// The limits of `receive`.
struct ReceiveLimits: ParsableArguments {
    @Option(bytes: "The largest body of a request.")
    var maxSize = ByteCount(ReceivingLimits().bodyBytes)

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A limit: total of all stored files, without what isn't complete yet (no limit), or of one form: file-size (\(ByteCount(ReceivingLimits().fileBytes).text)), files (\(ReceivingLimits().files)), "
                + "fields that aren't files (\(ReceivingLimits().fields)), or field-size "
                + "(\(ByteCount(ReceivingLimits().fieldBytes).text)). Can be repeated.", valueName: "name=value"),
        completion: .list(FormLimit.names.map { "\($0)=" }), transform: { try FormLimit.read($0) })
    var limit: [FormLimit] = []

    @Option(
        parsing: .unconditional, value: "number",
        "Uploads at once. Above that, the answer is 503 with Retry-After. --max-uploads-per-client NUMBER is for those of "
            + "one client, by default a quarter with --public; above it, the answer is 429. (default: "
            + "\(ReceivingLimits().uploads), with --to \(S3Storage.uploads))")
    var maxUploads: Int?

    @Option(parsing: .unconditional, help: .hidden) var maxUploadsPerClient: Int?

    @Option(
        bytes: "The memory of all uploads together. An upload waits for its share; a new one that gets none within 2 "
            + "seconds is answered 503. (default: what --max-uploads needs)")
    var memory: ByteCount?

    @Option(time: "How long a client may send nothing; also the time over which --min-rate is measured.")
    var idleTimeout = TimeOption(30)

    @Option(bytes: "Bytes a second that a client must send; 0 for any rate.")
    var minRate = ByteCount(ReceivingPace().bytesPerSecond)

    func validate() throws {
        try ValidationError.check([
            "--max-uploads: give 1 or more": self.maxUploads ?? 1 < 1,
            "--max-uploads-per-client: give 1 or more": self.maxUploadsPerClient ?? 1 < 1,
            "--idle-timeout: give 0.1 to 86400 seconds": !(0.1...86_400).contains(self.idleTimeout.seconds),
        ])
    }

    /// - Parameter isInMemory: Whether the storage buffers parts of each upload in memory.
    func uploads(isInMemory: Bool) -> ReceivingLimits {
        var limits = ReceivingLimits()
        limits.bodyBytes = self.maxSize.bytes
        for limit in self.limit { limit.apply(to: &limits) }
        limits.uploads = self.maxUploads ?? (isInMemory ? S3Storage.uploads : limits.uploads)
        limits.uploadsPerClient = self.maxUploadsPerClient
        limits.allFieldBytes = max(limits.allFieldBytes, limits.fieldBytes)
        return limits
    }

    /// The memory of the receiver.
    /// - Parameter buffer: Bytes of the buffer that each upload needs.
    /// - Throws: `ExitStatus` for less than one upload needs.
    func memory(_ limits: ReceivingLimits, _ buffer: Int) throws -> ReceiverMemory {
        guard let memory else { return ReceiverMemory(limits) }
        let least = ByteCount(Int64(buffer + ReceiverMemory.readBytes))
        guard memory.bytes >= least.bytes else {
            throw ExitStatus(2, "--memory \(memory.text): give at least \(least.text), which one upload needs")
        }
        return ReceiverMemory(limits, limit: Int(clamping: memory.bytes), least: buffer)
    }

    var pace: ReceivingPace {
        var pace = ReceivingPace()
        (pace.idleTime, pace.bytesPerSecond) = (self.idleTimeout.duration, self.minRate.bytes)
        return pace
    }
}

/// A limit with a name: `files=20`.
struct FormLimit {
    let name: String
    let count: Int64

    static let names = ["file-size", "files", "fields", "field-size", "total"]

    /// An option's value.
    static func read(_ argument: String, of names: [String] = FormLimit.names) throws -> FormLimit {
        let words = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard words.count == 2, names.contains(String(words[0])), let count = ByteCount(words[1]) else {
            throw ValidationError(
                "write NAME=NUMBER with one of \(names.joined(separator: ", ")); k, M, G, T or P may follow the number"
            )
        }
        return FormLimit(name: String(words[0]), count: count.bytes)
    }

    func apply(to limits: inout ReceivingLimits) {
        switch self.name {
        case "file-size": limits.fileBytes = self.count
        case "files": limits.files = Int(clamping: self.count)
        case "fields": limits.fields = Int(clamping: self.count)
        case "total": limits.totalBytes = self.count
        default: limits.fieldBytes = self.count
        }
    }
}

/// What the page of `receive` says.
struct ReceivePage: ParsableArguments {
    @Option(parsing: .unconditional, value: "text", "The heading of the upload page, in place of \"Send files\".")
    var title: String?

    @Option(
        parsing: .unconditional, value: "text",
        "A text below the heading, one paragraph for each line. Plain text: markup is shown as it is written.")
    var message: String?

    func validate() throws {
        for (name, text) in [("--title", self.title), ("--message", self.message)] {
            guard let text else { continue }
            try ValidationError.check([
                "\(name): the text is empty": text.allSatisfy(\.isWhitespace),
                "\(name): give at most \(Self.maximumBytes, "byte")": text.utf8.count > Self.maximumBytes,
            ])
        }
    }

    private static let maximumBytes = 10_000

    var settings: PageSettings { PageSettings(title: self.title, message: self.message) }
}
