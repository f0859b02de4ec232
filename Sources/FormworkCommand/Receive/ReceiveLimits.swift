#if Transfer
import ArgumentParser
import Formwork
import FormworkReceiver

/// How much `receive` takes.
struct ReceiveLimits: ParsableArguments {
    @Option(parsing: .unconditional, help: "The largest body of a request.")
    var maxSize = ByteCount(ReceivingLimits().bodyBytes)

    @Option(parsing: .unconditional, help: "The largest file.")
    var maxFileSize = ByteCount(ReceivingLimits().fileBytes)

    @Option(parsing: .unconditional, help: "Files of one form.")
    var maxFiles = ReceivingLimits().files

    @Option(parsing: .unconditional, help: "Fields of one form that are no files.")
    var maxFields = ReceivingLimits().fields

    @Option(parsing: .unconditional, help: "The largest field that is no file.")
    var maxFieldSize = ByteCount(ReceivingLimits().fieldBytes)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Uploads at once; beyond, the answer is 503 with Retry-After. "
                + "(default: \(ReceivingLimits().uploads), with --to \(S3Storage.uploads))", valueName: "number"))
    var maxUploads: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Uploads of one client at once, by its address, of IPv6 by its network; beyond, the answer is 429. "
                + "(default: a quarter of --max-uploads with --public, else all)", valueName: "number"))
    var maxUploadsPerClient: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long a client may send nothing, and the window of --min-rate.", valueName: "seconds"))
    var idleTimeout = 30.0

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Bytes a second that a client has to send.", valueName: "bytes")
    )
    var minRate = ByteCount(ReceivingPace().bytesPerSecond)

    func validate() throws {
        let counts = [("--max-files", maxFiles), ("--max-fields", maxFields)]
        if let (name, _) = counts.first(where: { $0.1 < 0 }) { throw ValidationError("\(name): give 0 or more") }
        guard self.maxUploads ?? 1 >= 1 else { throw ValidationError("--max-uploads: give 1 or more") }
        guard self.maxUploadsPerClient ?? 1 >= 1 else {
            throw ValidationError("--max-uploads-per-client: give 1 or more")
        }
        guard self.idleTimeout >= 0.1, self.idleTimeout <= 86_400 else {
            throw ValidationError("--idle-timeout: give 0.1 to 86400 seconds")
        }
    }

    /// - Parameter isInMemory: Whether the storage holds parts of each upload in memory.
    func uploads(isInMemory: Bool) -> ReceivingLimits {
        var limits = ReceivingLimits()
        (limits.bodyBytes, limits.fileBytes) = (self.maxSize.bytes, self.maxFileSize.bytes)
        (limits.files, limits.fields) = (self.maxFiles, self.maxFields)
        limits.uploads = self.maxUploads ?? (isInMemory ? S3Storage.uploads : limits.uploads)
        limits.uploadsPerClient = self.maxUploadsPerClient
        limits.fieldBytes = self.maxFieldSize.bytes
        limits.allFieldBytes = max(limits.allFieldBytes, limits.fieldBytes)
        return limits
    }

    var pace: ReceivingPace {
        var pace = ReceivingPace()
        (pace.idleTime, pace.bytesPerSecond) = (.seconds(self.idleTimeout), self.minRate.bytes)
        return pace
    }
}
#endif
