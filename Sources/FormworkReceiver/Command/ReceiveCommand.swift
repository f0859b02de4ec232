import ArgumentParser
import FormworkCommand
import FormworkResumable
import FormworkSystem
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// `formwork receive`: an upload server.
package struct ReceiveCommand: ParsableCommand, Sendable {
    package static let configuration = CommandConfiguration(
        commandName: "receive",
        abstract: FormworkVerbs.receive,
        usage: "formwork receive [options] [FOLDER]",
        discussion: """
            Prints its address on standard output, and a line for each file on standard error. A POST of \
            multipart/form-data or multipart/mixed stores the form's files, and its text fields as JSON beside them: \
            all of them or none. PUT /NAME stores its body as a file. So does a POST, unless it is multipart or url-encoded. \
            Any path is accepted, except /login, /logout and paths below /.uploads/ and /.link/. The answer is JSON, or a page for a browser. A \
            body that doesn't match its Content-Digest, Repr-Digest or Content-MD5 is refused, and so is a PUT whose \
            If-None-Match: * or If-Match fails.

            EXAMPLES
              formwork receive inbox
              curl -F photo=@a.jpg http://127.0.0.1:8080/
              curl -T a.jpg http://127.0.0.1:8080/

              Open to other machines; clients need the printed token:
                formwork receive inbox --public --tls-cert chain.pem --tls-key key.pem

              Into an object store, which several receivers may share:
                formwork receive --to s3://bucket/inbox

            Clients send the token as Bearer (FORMWORK_TOKEN=… formwork send …, or curl -H 'Authorization: Bearer \
            TOKEN'), or as the password of Basic with any user (curl -u me:TOKEN); the page asks for it. Leading dots of \
            names are removed: .env is stored as env. If two files of a form have one name, the second \
            becomes 'name (1)', even with --overwrite. A time is in seconds, or has a unit: 90s, 15m, 24h, 7d. A size \
            may end in k, M, G, T or P, which are powers of 1024.

            After SIGTERM, SIGINT or the closing of its terminal, uploads under way have the time of --grace to finish, \
            counted from the end of --drain-delay; a second signal stops them. SIGHUP reads the certificate, the key, \
            --token-file and --link-key-file again. A service manager such as systemd is notified of its state, and may pass the socket to \
            listen on, which is then used instead of --host and --port.
            """)

    @OptionGroup(title: "Destination") var destination: ReceiveDestination
    @OptionGroup(title: "Address") var address: ReceiveAddress
    @OptionGroup(title: "Limits") var limits: ReceiveLimits
    @OptionGroup(title: "Resuming") var resuming: ReceiveResuming
    @OptionGroup(title: "Page") var page: ReceivePage
    @OptionGroup(title: "Hooks") var hooks: ReceiveHooks

    @Option(help: "The digest to compute of each file while it arrives: sha256 or none.")
    var digest: DigestOption = .sha256

    @OptionGroup var logging: ReceiveLog

    @Flag(help: "Serve metrics at /metrics, in Prometheus's format.")
    var metrics = false

    @OptionGroup var stopping: ReceiveStopping

    package init() {}

    package func run() throws { try MainTask.run { try await self.receive() } }

    private func receive() async throws {
        SystemMemory.keepNetworkBuffers()
        var options = try self.options()
        let logger = Logger(label: "formwork") { [logging] _ in
            LineLog(logging.log, level: logging.logLevel)
        }
        let stores = try await self.open(&options, logger)
        self.warn(self.address.warnings)
        let status: Int32
        do { status = try await self.serve(options, stores, logger) } catch {
            await stores.close()
            let host = options.address.host.withControlCharactersEscaped
            if error is SocketAddressError.UnknownHost {
                throw ExitStatus(2, "--host \(host): the name can't be resolved")
            }
            guard let error = error as? IOError else { throw error }
            let place = "\(host):\(options.address.port)"
            let errno = Errno(rawValue: error.errnoCode)
            throw ExitStatus(errno == .addressInUse ? 71 : 2, "can't listen on \(place): \(errno)")
        }
        await stores.close()
        StandardError.output.flush(within: 1)
        if status != 0 { throw ExitStatus(status) }
    }

    /// What is written at the start whatever the level, as the log's lines are.
    private static let jsonLog = Logger(label: "formwork") { _ in LineLog(.json, level: .trace) }

    private func warn(_ lines: [String]) {
        guard self.logging.log == .json else { return lines.forEach(Messages.warn) }
        for line in lines { Self.jsonLog.warning("\(line)") }
    }

    private func options() throws -> ReceiverOptions {
        try self.stopping.check()
        var options = ReceiverOptions()
        try self.address.apply(to: &options)
        options.limits = self.limits.uploads(isInMemory: self.destination.to != nil)
        options.limits.unfinishedPerClient = self.resuming.resumeUploadsPerClient
        options.pace = self.limits.pace
        options.keeping.isDigesting = self.digest == .sha256
        options.keeping.keepsPaths = self.destination.keepPaths
        options.keeping.keepsFields = self.destination.fields == .json
        options.page = self.page.settings
        options.grace = self.stopping.grace.duration
        return options
    }

    /// Opens what the uploads are kept in, and sets the memory that this leaves for them.
    private func open(_ options: inout ReceiverOptions, _ logger: Logger) async throws -> Stores {
        // Before the storage is opened, which would have to be closed after an error.
        let hookOptions = try self.hooks.options()
        let metrics = self.metrics ? MemoryMetrics() : nil
        let destination = try await self.destination.open(
            logger, metrics, hasFolders: options.access.linkKeys != nil || hookOptions != nil)
        let bucket = self.resuming.needsBucket ? await self.uploads(in: destination as? S3Storage) : nil
        do {
            options.memory = try self.limits.memory(options.limits, destination.bufferBytes)
            let unfinished = try self.resuming.store(
                in: self.destination.dir.map { FilePath($0) }, bucket, options.limits,
                isDurable: self.destination.fsync, isDigesting: options.keeping.isDigesting,
                hasMemoryLimit: self.limits.memory != nil)
            let hooks = try hookOptions.map { options in
                Hooks(options, box: try destination.box(FolderRecordBox.folderName), metrics: metrics, logger: logger)
            }
            if options.access.linkKeys != nil {
                options.access.linkUses = LinkUses(box: try destination.box(LinkUses.folderName))
            }
            return Stores(
                destination: destination, bucket: bucket, unfinished: unfinished, hooks: hooks, metrics: metrics)
        } catch {
            await destination.close()
            throw error
        }
    }

    /// The bucket's unfinished uploads; `nil` without a bucket, or if the store can't keep them, which is reported.
    private func uploads(in bucket: S3Storage?) async -> BucketUploads? {
        guard let bucket else { return nil }
        let uploads = BucketUploads(bucket)
        do { try await uploads.check() } catch {
            self.warn(["uploads can't be resumed: \(error); --resume-dir FOLDER keeps them on this machine instead"])
            return nil
        }
        return uploads
    }

    /// Serves until a signal ends it.
    /// - Returns: The exit status.
    private func serve(_ options: ReceiverOptions, _ stores: Stores, _ logger: Logger) async throws -> Int32 {
        let manager = ServiceManager()
        let service = try ReceiverService(
            options, storage: stores.destination, store: stores.unfinished, hooks: stores.hooks,
            metrics: stores.metrics, logger: logger
        ) { [address, logging] place in
            let urls = ReceiveAddress.urls(
                of: options.address.host, port: place.port ?? 0, isTLS: options.address.tls != nil)
            // Nobody would know the address. A reader that goes away later doesn't stop the server.
            do { try StandardOutput.write(urls.map { "\($0)\n" }.joined()) } catch {
                let cause = ((error as? FormworkError)?.cause).map { " (\($0))" } ?? ""
                throw ExitStatus(23, "the address can't be written to standard output\(cause)")
            }
            manager?.notify(.ready)
            if let token = options.token, !address.token.isGiven {
                guard logging.log == .json else { return StandardError.write("formwork: the token is \(token.text)\n") }
                Self.jsonLog.notice("a token was generated", metadata: ["token": "\(token.text)"])
            }
        }
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let group = ServiceGroup(
            configuration: .init(
                services: [service, stores.destination.sweeper(stores.bucket, stores.unfinished, logger)]
                    + [stores.hooks].compactMap { $0 },
                logger: quiet))
        let watchdog = Task { await manager?.keepAlive() }
        defer { watchdog.cancel() }
        return try await StoppingSignals.run(group) {
            manager?.notify(.reloading)
            self.reload(service, options.token, logger)
            manager?.notify(.ready)
        } drain: { [drainDelay = self.stopping.drainDelay.seconds] in
            manager?.notify(.stopping)
            guard drainDelay > 0 else { return }
            service.drain()
            logger.notice("draining", metadata: ["seconds": .stringConvertible(drainDelay)])
            try? await Task.sleep(for: .seconds(drainDelay))
        } drop: {
            service.dropUploads()
        }
    }
}

/// What a receiver keeps uploads in.
private struct Stores: Sendable {
    var destination: any ReceiveStorage
    /// The bucket's unfinished uploads; `nil` without a bucket.
    var bucket: BucketUploads?
    /// `nil` if resumable uploads aren't accepted.
    var unfinished: UploadStore?
    var hooks: Hooks?
    var metrics: MemoryMetrics?

    func close() async {
        await self.hooks?.close()
        await self.destination.close()
    }
}

extension ReceiveCommand {
    /// Reads the token, the certificate and the key again.
    private func reload(_ service: ReceiverService, _ token: AccessToken?, _ logger: Logger) {
        CommandInputs.readAgain()
        let waiting = Task {
            try await Task.sleep(for: .seconds(5))
            logger.warning(
                "certificate, key, token and link keys not read again yet",
                metadata: ["reason": "a file gives nothing: if it is a FIFO, write to it"])
        }
        defer { waiting.cancel() }
        do {
            // A generated token stays.
            try service.reload(
                self.address.tls.configuration(),
                token: self.address.token.read(isPublic: self.address.isPublic, again: true) ?? token,
                linkKeys: self.address.readLinkKeys())
            logger.notice("certificate, key, token and link keys read again")
        } catch {
            let reason = ((error as? ExitStatus)?.message ?? "\(error)").trimmingPrefix("formwork: ")
            logger.error("certificate, key, token and link keys not read again", metadata: ["reason": "\(reason)"])
        }
    }
}

/// What `receive` logs.
struct ReceiveLog: ParsableArguments {
    @Option(help: "The format of the log.")
    var log: LineLog.Form = .text

    @Option(
        help: "The lowest level to log: trace, debug, info, notice, warning, error or critical.",
        completion: .list(Logger.Level.allCases.map(\.rawValue)))
    var logLevel = Logger.Level.info
}

/// How `receive` ends.
struct ReceiveStopping: ParsableArguments {
    @Option(time: "How long uploads under way may continue after a signal.")
    var grace = TimeOption(10)

    @Option(
        time: "How long connections are still accepted after a signal, while /readyz answers 503: a load balancer "
            + "needs that time.")
    var drainDelay = TimeOption(0)

    func check() throws {
        for (option, time) in [("--grace", self.grace), ("--drain-delay", self.drainDelay)] {
            guard time.seconds >= 0, time.seconds <= 86_400 else {
                throw ExitStatus(2, "\(option) \(time.text): give 0 to 86400 seconds")
            }
        }
    }
}

/// The digest of each file.
enum DigestOption: String, ChoiceOption { case sha256, none }

extension LineLog.Form: ChoiceOption {}

extension Logger.Level: @retroactive ExpressibleByArgument {}

extension ServiceManager {
    /// Reports to the manager that this process works, as often as it asks for that, until the task is cancelled. Each event loop
    /// has answered before: one that is stuck leaves its connections without answers.
    func keepAlive() async {
        guard let watchdog else { return }
        while !Task.isCancelled {
            for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { try? await loop.submit {}.get() }
            self.notify(.alive)
            try? await Task.sleep(for: (watchdog / 3).asWait)
        }
    }
}
