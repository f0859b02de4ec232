import ArgumentParser
import FormworkClient
import FormworkCommand
import FormworkEssentials
import FormworkSystem

extension ResumableChoice: ExpressibleByArgument {}

/// How a cut upload continues.
struct ResumeOptions: ParsableArguments {
    @Option(
        file: "Continue a cut upload by the same command.", kind: "file|folder/",
        discussion: """
            The upload's state is kept in this file, or in a folder (FOLDER/) with a file for each URL and form, until it is \
            complete; FILE.lock marks it as in use. Implies --resume auto.
            """)
    var state: String?

    @Flag(
        help: """
            If a file, the form or the URL differs from the saved upload, or the server no longer has it, start again \
            instead of exiting with 65.
            """)
    var restartIfChanged = false

    @Option(
        value: "protocol",
        "How a cut upload continues: ietf (the IETF's draft), tus (tus 1.0), auto (an ordinary request, resumed with the draft "
            + "if the server supports it), or off (the default).",
        discussion: """
            --resume tus sends a form to 'formwork receive' only. Any other tus server gets each file as an upload of its \
            own, with filename, filetype and the form's fields as Upload-Metadata.
            """)
    var resume: ResumableChoice?

    @Option(
        bytes:
            "With --resume or --state: send at most this many bytes in one request, for servers that keep only whole "
            + "requests. (default: the server's limit; 16M with tus and --repr-digest)", kind: "size")
    var pieceSize: ByteCount?

    @Flag(
        help:
            """
            Send the body's SHA-256 as Repr-Digest (RFC 9530), for the server to check; reads every source twice. With \
            tus each piece has its Upload-Checksum, and a server that can't check it is refused.
            """)
    var reprDigest = false

    /// The bytes of a piece with its own digest, unless the user says another number.
    private static let checkedPiece: Int64 = 16 << 20

    var choice: ResumableChoice { self.resume ?? (self.keepsState ? .auto : .off) }

    /// Whether the upload's state is saved.
    var keepsState: Bool { self.state != nil }

    /// The folder that `--state` names: it ends with a slash, or is there; `nil` for a file.
    private var stateFolder: StateFolder? {
        guard let state else { return nil }
        let isFolder = state.hasSuffix("/") || (try? SystemCalls.status(of: FilePath(state)))?.kind == .directory
        return isFolder ? StateFolder(folder: FilePath(state)) : nil
    }

    func validate() throws {
        try GivenPath.check(["--state": self.state])
        let (isOff, size) = (self.choice == .off, self.pieceSize?.bytes)
        try ValidationError.check([
            "--state -: the state is read and written: name a file": self.state == "-",
            "--state: has no use with --resume off: leave one of them out": self.keepsState && isOff,
            "--restart-if-changed: give --state, too": self.restartIfChanged && !self.keepsState,
            "--piece-size: give 1 or more, together with --resume or --state": size == 0 || size != nil && isOff,
        ])
    }

    /// Reads the saved state and computes the digest.
    /// - Parameters:
    ///   - job: Gets the plan that the state has, the digest, and how the upload is resumed.
    ///   - hasBoundary: Whether the user asked for one.
    ///   - repeatsAll: Whether a whole request without an answer may be repeated, because the user gave --retry.
    ///   - files: The files that are read, and where the answer is written, which can't keep the state.
    func prepare(
        _ job: inout SendJob, hasBoundary: Bool, repeatsAll: Bool, files: (inputs: [String], output: String?)
    ) async throws {
        try self.checkFields(job.request.headerFields)
        var options = self.clientOptions(job.sender.options.retry, repeatsAll: repeatsAll)
        if self.keepsState {
            let (plan, url, method) = (job.plan, job.request.urlText, job.request.method)
            let key = try self.key(plan, url, method)
            let folder = self.stateFolder
            let path = try self.statePath(key, folder)
            try self.checkState(path, files)
            job.lock = try self.lock(path, isOwn: folder != nil)
            folder?.removeExpired(except: path)
            (job.plan, options.link) = try self.restored(plan, path, key, url, isFolder: folder != nil)
            if hasBoundary, options.link != nil, job.plan.contentType != plan.contentType {
                Messages.warn(
                    "the given boundary is ignored: the upload saved in \(path) continues with its own boundary")
            }
            options.save = { [plan = job.plan] link in
                guard let link else { return ResumableState.remove(path) }
                try ResumableState(link, url: url, method: method, plan: plan).write(to: path)
            }
        }
        if self.reprDigest, options.usesTus {
            try job.plan.checkReadableTwice()
            options.checksum = "sha256"
            // A server drops a piece that was cut before its digest could be compared.
            options.maximumAppendSize = self.pieceSize?.bytes ?? Self.checkedPiece
        } else if self.reprDigest {
            options.reprDigest = try await job.plan.reprDigest()
            job.request.headerFields[.reprDigest] = options.reprDigest?.fieldValue
        }
        if self.choice != .off { job.resuming = options }
    }

    private func clientOptions(_ retry: RetryPolicy, repeatsAll: Bool) -> ResumingOptions {
        var options = ResumingOptions(self.choice)
        options.maximumAppendSize = self.pieceSize?.bytes
        // If the upload is created before its bytes are sent, its offset can be queried after any failure.
        options.createsFirst = self.choice == .ietf
        options.maximumAttempts = min(retry.count, .max - 1) + 1
        options.repeatsUnanswered = repeatsAll && retry.count > 0
        options.restartsLost = self.restartIfChanged
        options.retriesAllErrors = retry.retriesAllErrors
        if let delay = retry.delay { options.delays = [delay] }
        return options
    }

    /// Refuses a state, or a lock beside it, that is another file of this command.
    private func checkState(_ path: FilePath, _ files: (inputs: [String], output: String?)) throws {
        try OutputDestination.checkState(path.string, option: "--state")
        for own in [path, FilePath("\(path).lock")] {
            try SeparateOutput.check("--state", own.string, inputs: files.inputs)
            let isOutput = files.output.map { FilePath($0).lexicallyNormalized() } == own.lexicallyNormalized()
            try ExitStatus.refuse(if: isOutput, "-o \(own): --state uses this file: name another one")
        }
    }

    private func lock(_ path: FilePath, isOwn: Bool) throws -> FileLock {
        do throws(FormworkError) {
            if let lock = try FileLock(FilePath("\(path).lock"), isOwn: isOwn) { return lock }
        } catch { throw ExitStatus(error) }
        throw ExitStatus(65, "--state: \(path): another process continues this upload: wait for it to end")
    }

    /// Refuses fields that describe one request, or that the protocol doesn't have: they would have no effect.
    private func checkFields(_ fields: HTTPFields) throws(ExitStatus) {
        guard self.choice != .off else { return }
        for name in [HTTPField.Name.contentDigest, .contentMD5] where fields[name] != nil {
            throw ExitStatus(
                2,
                "-H '\(name)': describes one request, but a resumable upload may need several: use --repr-digest, "
                    + "or leave out --resume and --state")
        }
        guard self.choice == .tus else { return }
        for name in [HTTPField.Name.reprDigest, .ifMatch, .ifNoneMatch] where fields[name] != nil {
            let remedy = name == .reprDigest ? "use --repr-digest" : "use --resume ietf"
            throw ExitStatus(2, "-H '\(name)': tus has no such field: \(remedy)")
        }
    }

    /// Identifies the upload. Computed even without a saved state: a body that can't be made again is refused before it
    /// is sent.
    private func key(_ plan: BodyPlan, _ url: String, _ method: HTTPRequest.Method) throws -> String {
        do throws(FormworkError) { return try ResumableState.key(url: url, method: method, plan: plan) } catch {
            guard error.code == .notReplayable else { throw error }
            let part = error.part.map { "\($0): " } ?? ""
            throw ExitStatus(
                65,
                "--state: \(part)a later process can't read this content again: use a file, without --snapshot, or leave "
                    + "out --state")
        }
    }

    private func statePath(_ key: String, _ folder: StateFolder?) throws -> FilePath {
        guard let folder else { return AtomicFile.place(of: FilePath(self.state ?? "")) }
        try folder.create()
        return folder.path(for: key)
    }

    private func restored(
        _ plan: BodyPlan, _ path: FilePath, _ key: String, _ url: String, isFolder: Bool
    ) throws -> (BodyPlan, SavedUpload?) {
        let saved: ResumableState?
        do throws(FormworkError) { saved = try ResumableState(file: path) } catch {
            // A file may be another one of the user's. In a folder of states each is ours.
            let isOurs = isFolder || ResumableState.isRemnant(path)
            if isOurs, isFolder || self.restartIfChanged {
                return self.startingAgain(plan, path, "it is damaged")
            }
            var error = error
            // A decoder's text describes Swift types, which doesn't help the user.
            if error.cause is DecodingError { error.cause = nil } else { error.message = "can't be read" }
            if isOurs { error.message = "is damaged: remove it, or use --restart-if-changed, to start again" }
            throw error
        }
        guard let state = saved else { return (plan, nil) }
        if state.isExpired() {
            return self.startingAgain(plan, path, "the saved upload has expired on the server")
        }
        guard state.key == key, let link = state.link else {
            let difference =
                state.url != url
                ? "to \(SecretText.masked(url: state.url))" : "to the same URL, of other parts or with another method"
            if self.restartIfChanged {
                return self.startingAgain(plan, path, "it holds another upload, \(difference)")
            }
            throw FormworkError(
                .sourceChanged,
                "holds another upload, \(difference): remove it, give --state another file, or start again with "
                    + "--restart-if-changed",
                path: path.string)
        }
        do throws(FormworkError) { return (try state.plan(from: plan), link) } catch {
            var error = error
            if error.code == .sourceChanged {
                let file = error.path ?? "the form"
                if self.restartIfChanged {
                    return self.startingAgain(plan, path, "\(file) changed since its upload began")
                }
                if let file = error.path {
                    error.message =
                        "\(file) changed since its upload began: remove \(path), or use --restart-if-changed, to start "
                        + "again"
                }
            }
            error.path = path.string
            throw error
        }
    }

    private func startingAgain(_ plan: BodyPlan, _ path: FilePath, _ reason: String) -> (BodyPlan, SavedUpload?) {
        Messages.warn("\(path): \(reason): starting again")
        ResumableState.remove(path)
        return (plan, nil)
    }
}

/// A folder of states: a saved upload for each URL and form.
struct StateFolder {
    let folder: FilePath

    /// Creates it, for this user only, if only its last component is missing.
    func create() throws {
        do throws(Errno) { try SystemCalls.makePrivateFolder(self.folder) } catch {
            let shown = ShellQuote.quote(self.folder.string)
            throw ExitStatus(23, "--state \(shown): the folder can't be created (\(error))")
        }
    }

    /// - Parameter key: The upload's key.
    func path(for key: String) -> FilePath { self.folder.appending("\(key.prefix(32)).json") }

    /// Removes the states of uploads that the servers have removed, too, and the locks of processes that were killed.
    func removeExpired(except own: FilePath) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.folder.string)) ?? []
        for name in names where name.hasSuffix(".json") {
            let path = self.folder.appending(name)
            guard path != own, let state = try? ResumableState(file: path), state.isExpired() else { continue }
            // The lock is taken by the process that uses the state.
            guard let lock = try? FileLock(FilePath("\(path).lock"), isOwn: true) else { continue }
            ResumableState.remove(path)
            withExtendedLifetime(lock) {}
        }
        for name in names where name.hasSuffix(".json.lock") && name != "\(own.lastComponent?.string ?? "").lock" {
            // A lock that can be taken belongs to no process. It is removed when it is released.
            _ = try? FileLock(self.folder.appending(name), isOwn: true)
        }
    }
}
