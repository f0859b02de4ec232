import FormworkEssentials
import ArgumentParser
import FormworkCommand
import FormworkResumable
import FormworkSystem

/// How `receive` keeps resumable uploads.
struct ReceiveResuming: ParsableArguments {
    /// Whether uploads may continue.
    enum Choice: EnumerableFlag {
        case resume, noResume

        static func help(for value: Self) -> ArgumentHelp? {
            switch value {
            // The default.
            case .resume: .hidden
            case .noResume:
                "Nothing is kept of a cut upload, and none continues. Without this, uploads may continue with the IETF's draft or tus 1.0."
            }
        }
    }

    @Flag var choice: Choice = .resume

    private var resume: Bool { self.choice == .resume }

    @Option(
        value: "folder",
        "Where unfinished uploads are kept. It is created if only its last component is missing. The default is "
            + ".formwork-resumable in the folder, or below the prefix of --to, where any receiver of the same prefix "
            + "can continue them.", completion: .directory)
    var resumeDir: String?

    @Option(time: "An upload can be continued until this long after its last byte.")
    var resumeLifetime = TimeOption(24, "h")

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Uploads that are kept at once. Above that, finished, empty or the longest idle ones are removed. "
                + "--resume-uploads-per-client NUMBER is for those of one client, by default a tenth with --public; above it, "
                + "the answer is 429.",
            valueName: "number"))
    var resumeUploads = UploadStoreOptions().maximumCount

    @Option(parsing: .unconditional, help: .hidden) var resumeUploadsPerClient: Int?

    @Option(
        bytes: "Bytes of all unfinished uploads together, announced ones included. Above that, uploads are removed as "
            + "with --resume-uploads; if none can be, the answer is 503, or 507 for an upload without a length. An "
            + "upload that announces more than that is answered 413. With --public, one client may announce half of "
            + "it. (default: no limit)")
    var resumeTotal: ByteCount?

    func validate() throws {
        try GivenPath.check(["--resume-dir": self.resumeDir])
        let lifetimes = Duration.seconds(1)...(TimeOption.day * 365)
        try ValidationError.check([
            "--resume-uploads: give 1 or more": self.resumeUploads < 1,
            "--resume-uploads-per-client: give 1 or more": self.resumeUploadsPerClient ?? 1 < 1,
            "--resume-lifetime: give 1s to 365d": !lifetimes.contains(self.resumeLifetime.duration),
        ])
        for (option, isGiven) in [("--resume-dir", self.resumeDir != nil), ("--resume-total", self.resumeTotal != nil)]
        where isGiven && !self.resume {
            throw ValidationError("\(option): has no use with --no-resume: leave one of them out")
        }
    }

    /// Whether uploads are kept in the bucket, if there is one.
    var needsBucket: Bool { self.resume && self.resumeDir == nil }

    /// - Parameter bucket: The bucket's unfinished uploads; `nil` without one, or if it can't have any.
    /// - Returns: `nil` if resumable uploads aren't accepted.
    /// - Throws: `writeFailed`.
    func store(
        in folder: FilePath?, _ bucket: BucketUploads?, _ limits: ReceivingLimits, isDurable: Bool, isDigesting: Bool,
        hasMemoryLimit: Bool
    ) throws -> UploadStore? {
        guard self.resume else { return nil }
        var options = UploadStoreOptions()
        options.limits.maxSize = limits.bodyBytes
        options.lifetime = Double(self.resumeLifetime.duration.components.seconds)
        options.maximumCount = self.resumeUploads
        options.maximumTotalSize = self.resumeTotal?.bytes
        options.isDurable = isDurable
        options.digestsFiles = isDigesting
        options.findsFiles = folder != nil
        if let resumeDir {
            if let folder { try Self.checkHidden(resumeDir, in: folder) }
            return try UploadStore(FilePath(resumeDir), options: options, makesFolder: true)
        }
        if let folder {
            let unfinished = folder.appending(".formwork-resumable")
            let kind = (try? SystemCalls.linkStatus(of: unfinished))?.kind
            guard kind == nil || kind == .directory else {
                throw FormworkError(
                    .writeFailed,
                    "isn't a folder, but unfinished uploads need one: remove it, or give --resume-dir",
                    path: unfinished.string)
            }
            return try UploadStore(unfinished, options: options, makesFolder: kind != nil, mayBeLink: false)
        }
        guard let bucket else { return nil }
        // Otherwise a longer one would fail at its end.
        let most = bucket.maximumBytes(hasEqualParts: hasMemoryLimit)
        options.limits.maxSize = min(options.limits.maxSize ?? most, most)
        return UploadStore(storage: bucket, options: options)
    }

    /// Refuses a folder in which clients could write, and unfinished uploads would be among their files. They can't write
    /// into folders whose names begin with a dot.
    private static func checkHidden(_ resumeDir: String, in folder: FilePath) throws {
        guard let own = try? SystemCalls.status(of: folder) else { return }
        var path = FilePath(FileManager.default.currentDirectoryPath).pushing(FilePath(resumeDir)).lexicallyNormalized()
        var first: FilePath.Component?
        while true {
            if own.validator.isSameFile(as: try? SystemCalls.status(of: path).validator) { break }
            guard let last = path.lastComponent else { return }
            first = last
            path.removeLastComponent()
        }
        guard first?.string.hasPrefix(".") != true else { return }
        throw ExitStatus(
            2,
            "\(GivenValue("--resume-dir", resumeDir).text) is inside the folder, where clients can write: choose "
                + "one elsewhere, or one directly in it whose name begins with a dot")
    }
}
