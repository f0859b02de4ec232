#if Transfer
import ArgumentParser
import Formwork
import FormworkReceiver
import Logging
import NIOCore
import ServiceLifecycle
import SystemPackage

/// `formwork receive`: an upload server.
struct ReceiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receive",
        abstract: TransferVerbs.receive,
        discussion: """
            Prints its address on standard output, and a line for each file on standard error. A POST of \
            multipart/form-data or multipart/mixed stores the form's files, and its text fields as JSON beside them, all \
            of it or nothing; a PUT to /NAME, and a POST of any other type, stores its body. Any path is taken. The \
            answer is JSON, or a page for a browser. A body that isn't what its Content-Digest, Repr-Digest or \
            Content-MD5 says is refused, and so is a PUT whose If-None-Match: * or If-Match doesn't hold.

            EXAMPLES
              formwork receive --dir inbox
              curl -F photo=@a.jpg http://127.0.0.1:8080/
              curl -T a.jpg http://127.0.0.1:8080/

              Reached by others, who have the token that is printed:
                formwork receive --dir inbox --public --tls-cert chain.pem --tls-key key.pem

              Into an object store, which any number of receivers may share:
                formwork receive --to s3://bucket/inbox

            SIGTERM, SIGINT and a terminal that is closed let uploads under way finish for --grace seconds; a second signal \
            doesn't. SIGHUP reads the certificate, the key and --token-file again.
            """)

    @OptionGroup(title: "Destination") var destination: ReceiveDestination
    @OptionGroup(title: "Address") var address: ReceiveAddress
    @OptionGroup(title: "Limits") var limits: ReceiveLimits
    @OptionGroup(title: "Resuming") var resuming: ReceiveResuming

    @Option(help: "What is taken of each file while it arrives: sha256 or none.")
    var digest: DigestOption = .sha256

    @Option(help: "How a line of the log looks.")
    var log: LogForm = .text

    @Option(help: "What is logged: trace, debug, info, notice, warning, error or critical.")
    var logLevel: LogLevel = .init(level: .info)

    @Flag(help: "Show counts at /metrics, as Prometheus reads them.")
    var metrics = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long uploads under way may go on once a signal comes.", valueName: "seconds"))
    var grace = 10.0

    func run() async throws {
        var options = ReceiverOptions()
        try self.address.apply(to: &options)
        options.limits = self.limits.uploads(isInMemory: self.destination.to != nil)
        options.limits.unfinishedPerClient = self.resuming.resumeUploadsPerClient
        options.pace = self.limits.pace
        options.isDigesting = self.digest == .sha256
        (options.keepsPaths, options.keepsFields) = (self.destination.keepPaths, self.destination.fields == .json)
        guard self.grace >= 0, self.grace <= 86_400 else {
            throw ExitStatus(2, "formwork: --grace \(self.grace): give 0 to 86400 seconds")
        }
        options.grace = .seconds(self.grace)
        let form: LineLog.Form = self.log == .json ? .json : .text
        let logger = Logger(label: "formwork") { [logLevel] _ in LineLog(form, level: logLevel.level) }
        OpenFiles.raiseLimit()
        let storage = try await self.destination.open(logger)
        let store = try self.resuming.store(
            in: self.destination.dir.map { FilePath($0) }, options.limits, isDurable: self.destination.fsync,
            isDigesting: options.isDigesting)
        let (isTLS, host, token) = (options.tls != nil, options.host, options.token)
        let hasGivenToken = self.address.hasGivenToken
        Warning.write(self.address.warnings)
        let service = ReceiverService(
            options, storage: storage, store: store, metrics: self.metrics ? MemoryMetrics() : nil, logger: logger
        ) { address in
            let urls = ReceiveAddress.urls(of: host, port: address.port ?? 0, isTLS: isTLS)
            // Nobody waits for a reader who is gone.
            try? StandardOutput.write(urls.map { "\($0)\n" }.joined())
            if let token, !hasGivenToken {
                StandardError.write("formwork: the token is \(token.text)\n")
            }
        }
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let group = ServiceGroup(
            configuration: .init(services: [service] + self.destination.services(for: storage), logger: quiet))
        let status: Int32
        do {
            status = try await StoppingSignals.run(group) {
                self.reload(service, token, logger)
            } drop: {
                service.dropUploads()
            }
        } catch {
            await storage.close()
            guard let error = error as? IOError else { throw error }
            let place = "\(host):\(options.port)".withControlCharactersEscaped
            throw ExitStatus(2, "formwork: can't listen on \(place): \(Errno(rawValue: error.errnoCode))")
        }
        await storage.close()
        StandardError.output.flush(within: 1)
        if status != 0 { throw ExitStatus(status) }
    }
}

extension ReceiveCommand {
    /// Reads the files again that say who is let in, and who this is.
    private func reload(_ service: ReceiverService, _ token: AccessToken?, _ logger: Logger) {
        do {
            // One that was made up stays.
            try service.reload(self.address.tls(), token: self.address.readToken() ?? token)
            logger.notice("certificate, key and token read again")
        } catch {
            let reason = (error as? ExitStatus)?.message ?? "\(error)"
            logger.error("nothing was read again", metadata: ["reason": "\(reason)"])
        }
    }
}

/// What is taken of each file.
enum DigestOption: String, ExpressibleByArgument, CaseIterable { case sha256, none }

/// How a line of the log looks.
enum LogForm: String, ExpressibleByArgument, CaseIterable { case text, json }

/// What is logged.
struct LogLevel: ExpressibleByArgument {
    var level: Logger.Level

    init(level: Logger.Level) { self.level = level }

    init?(argument: String) {
        guard let level = Logger.Level(rawValue: argument) else { return nil }
        self.level = level
    }

    var defaultValueDescription: String { self.level.rawValue }
    static var allValueStrings: [String] { Logger.Level.allCases.map(\.rawValue) }
}
#endif
