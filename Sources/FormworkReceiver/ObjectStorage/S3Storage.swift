import AsyncHTTPClient
import Formwork
import FormworkEssentials
import Logging
import NIOSSL
import Synchronization

/// Stores files as objects of a bucket: `s3://bucket/prefix/name`.
///
/// A file of at most one part's size is stored with one PutObject. A longer one is a multipart upload, whose parts are
/// sent while the file is received. A file is invisible until it is finished. An existing object is never replaced: the
/// name becomes `name (1).ext`.
///
/// Between receivers that share a prefix, a multipart upload itself reserves its name: a receiver that finds another
/// upload open for the same key takes another name. If another receiver's short file, or another program, takes the key
/// after that check, the long file fails, and its client is told to send it again. One gap remains: a program may write
/// the same key between the last check and CompleteMultipartUpload, if the store doesn't support `If-None-Match` there
/// (Ceph 16 doesn't; Amazon S3 does).
final class S3Storage: ReceiverStorage {
    /// How files are split and sent.
    struct Options: Sendable {
        /// Bytes of a part, 5 MiB (S3's own limit) to 5 GiB. Default 8 MiB. A file whose known length needs more than
        /// 10,000 such parts has larger ones.
        var partSize = 8 << 20
        /// Parts of one upload that are sent at once, 1 to 100. Default 3 to 12, as many as make it quicker. An upload
        /// holds up to one part more in memory.
        var partsAtOnce = 3...12
        /// Parts of all uploads together, above which each sends only the least number at once.
        var partsOfAll: Int { S3Storage.uploads * self.parallelism }
        /// The least number of parts that each upload can send at once.
        var parallelism: Int { self.partsAtOnce.lowerBound }
        /// Parts of one upload that the store copies at once: they need no memory here.
        var copiesAtOnce: Int { 16 * self.parallelism }
        /// How a request addresses its bucket.
        var addressing = S3Addressing.automatic
        /// Time-outs and numbers of tries.
        var patience = S3Patience()
        /// How long an unfinished upload in the store may be idle before a sweep aborts it.
        var abandonAfter = Duration.seconds(86_400)
        /// Whether files may have folders below the prefix: a sweep looks there too.
        var keepsPaths = false
        /// Counts requests; `nil`, the default, counts nothing.
        var metrics: MemoryMetrics?
    }

    /// The default number of uploads at once. With parts of the default size they hold 1 GiB.
    static let uploads = 32
    /// Parts of one upload (Amazon S3 User Guide, "Multipart upload limits").
    static let maximumParts = 10_000
    static let partSizes = 5 << 20...5 << 30

    /// The folder of unfinished uploads, below the prefix.
    static let unfinishedFolder = ".formwork-resumable/"

    /// A complete upload's objects, of which files can be made without their bytes passing through this process. All but
    /// the last are large enough to be parts.
    struct FinishedPieces: Sendable {
        var pieces: [StoredPieces.Piece]
        /// The large files of a form; empty for another upload.
        var files: [StoredForm.File] = []
        /// The keys under which other receivers have made the file of the whole upload, perhaps.
        var placed: [String]
        var work: CopyWork
        /// Makes sure that no other receiver processes the upload, and notes what makes a file: one of the store's uploads, or
        /// a single request. The mark is `nil` for a file that is the whole upload.
        var confirm: @Sendable (_ key: String, _ upload: String?, _ marker: String?) async throws -> Void
    }

    /// What is known of the store.
    final class Knowledge: Sendable {
        fileprivate let hasLoggedMissingAccess = Atomic(false)
        /// Whether it has refused to copy objects.
        fileprivate let refusesCopies = Atomic(false)
        /// Whether it has copied one.
        let hasCopied = Atomic(false)
        /// Whether it compares `If-Match` with an entity tag without its quotes (Ceph 16 does).
        let comparesPlainTags = Atomic(false)
    }

    /// The uploads of this process.
    private struct Uploads {
        /// Multipart uploads in progress: a sweep never aborts them, however slow they are.
        var underWay: Set<String> = []
        /// Complete uploads that are being processed, by name.
        var finished: [String: FinishedPieces] = [:]
        /// Names that are reserved, so that other uploads need not ask the store.
        var held: Set<String> = []
    }

    let client: S3Client
    let location: S3Location
    let options: Options
    let logger: Logger
    let buffers: PartBuffers
    /// The least bytes of a part, except the last.
    let smallestPart: Int
    let knowledge = Knowledge()
    /// Parts that all uploads are sending.
    private let partsOnTheWay = Atomic(0)
    private let uploads = Mutex(Uploads())

    /// - Parameters:
    ///   - url: `s3://bucket/prefix`; the prefix may be absent.
    ///   - environment: The process's variables. Used are `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`,
    ///     `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION`, `AWS_DEFAULT_REGION`,
    ///     `AWS_CA_BUNDLE`, `AWS_PROFILE`, and `HOME` for `.aws/credentials` and `.aws/config`.
    /// - Throws: ``FormworkError/Code/invalidArgument``; the message names the variable or option that is missing or
    ///   wrong.
    convenience init(
        from url: String, environment: [String: String], options: Options = Options(),
        logger: Logger = Logger(label: "formwork.s3")
    ) throws(FormworkError) {
        let settings = try AWSSettings(environment: environment)
        try self.init(
            location: S3Location(url), settings: settings, smallestPart: Self.partSizes.lowerBound,
            options: options,
            logger: logger)
    }

    /// - Parameter smallestPart: The least bytes of a part; the tests' own store has another limit.
    convenience init(
        location: S3Location, settings: AWSSettings, smallestPart: Int, options: Options, logger: Logger
    ) throws(FormworkError) {
        guard (smallestPart...Self.partSizes.upperBound).contains(options.partSize) else {
            throw FormworkError(
                .invalidArgument,
                "--s3 part-size: a part has 5 MiB to 5 GiB in object stores, not \(options.partSize, "byte")")
        }
        guard 1 <= options.partsAtOnce.lowerBound, options.partsAtOnce.upperBound <= 100 else {
            throw FormworkError(.invalidArgument, "--s3 part-parallelism=\(options.parallelism): give 1 to 100")
        }
        let address = try S3Address(
            endpoint: settings.endpoint, region: settings.region, bucket: location.bucket,
            addressing: options.addressing)
        let signer = SigV4(credentials: settings.credentials, region: settings.region)
        self.init(
            location: location,
            exchange: S3Exchange(
                address: address, signer: signer, patience: options.patience, logger: logger, metrics: options.metrics,
                trusted: try settings.certificates.map(Self.certificates)),
            smallestPart: smallestPart, options: options, logger: logger)
    }

    private static func certificates(_ path: String) throws(FormworkError) -> [NIOSSLCertificate] {
        do { return try NIOSSLCertificate.fromPEMFile(path) } catch {
            throw FormworkError(
                .invalidArgument, "AWS_CA_BUNDLE: can't be read as certificates in PEM (-----BEGIN CERTIFICATE-----)",
                path: path, cause: error)
        }
    }

    /// - Parameters:
    ///   - exchange: Makes the requests.
    ///   - smallestPart: The least bytes of a part.
    init(
        location: S3Location, exchange: S3Exchange, smallestPart: Int = S3Storage.partSizes.lowerBound,
        options: Options,
        logger: Logger
    ) {
        self.client = S3Client(exchange: exchange)
        (self.location, self.options, self.logger) = (location, options, logger)
        self.smallestPart = smallestPart
        self.buffers = PartBuffers(of: options.partSize, limit: options.partsAtOnce.upperBound + 1)
    }

    /// Closes the connections. Uploads must be finished or abandoned before.
    func close() async {
        do { try await self.client.exchange.http.shutdown() } catch {
            self.logger.error("connections to the object store can't be closed", metadata: ["error": "\(error)"])
        }
    }

    func room(for need: StorageNeed) async throws {
        guard case .nothing = need else { return }
        // The object need not exist: the store's answer is what counts.
        _ = try await self.client.head(self.location.prefix + Self.unfinishedFolder + "ready")
    }

    func size(of folder: String?) async throws -> Int64 {
        let own = self.location.prefix
        do {
            let objects = try await self.client.objects(prefix: own + (folder.map { "\($0)/" } ?? "")).objects
            return objects.reduce(0) { $0 + ($1.key.dropFirst(own.count).hasPrefix(".") ? 0 : $1.size) }
        } catch { throw self.withContext(error) }
    }

    /// Except for a file with a condition, no request is made until a part is full or the file ends.
    func begin(
        _ file: IncomingFile, from content: FileContent?, _ memory: ReceiverMemory.Lease?
    ) async throws -> (upload: any StorageUpload, hasContent: Bool) {
        // A key has at most 1,024 bytes, among them a number that a name may get.
        try StorageRefusal.check(file.path, limit: min(SafePath.maximumBytes, 1_000 - self.location.prefix.utf8.count))
        if let copied = try await self.copied(file, content, memory) { return (copied, true) }
        return (try await self.begin(file, memory), false)
    }

    func begin(_ file: IncomingFile, _ memory: ReceiverMemory.Lease?) async throws -> S3Upload {
        if file.condition != .none {
            let isTaken: Bool
            do { isTaken = try await self.client.head(self.location.prefix + file.path.text) != nil } catch {
                throw self.withContext(error)
            }
            guard isTaken == (file.condition == .isTaken) else { throw StorageRefusal.failed(file.condition) }
            if isTaken { throw StorageRefusal.irreplaceable }
        }
        let upload = S3Upload(file, in: self, memory)
        if let name = file.upload, let finished = self.finished(name) {
            await upload.recordIdentity(finished.confirm)
        }
        return upload
    }

    /// A file of which the store copies the bytes; `nil` if it can't.
    private func copied(
        _ file: IncomingFile, _ content: FileContent?, _ memory: ReceiverMemory.Lease?
    ) async throws -> S3Upload? {
        // A store can't copy a part without bytes.
        guard case .upload(let name, let range)? = content, let finished = self.finished(name),
            !finished.pieces.isEmpty, file.condition == .none, self.mayCopy
        else { return nil }
        let pieces = StoredPieces(pieces: finished.pieces, smallestPart: Int64(self.smallestPart))
        // Another receiver uses a file that is the whole upload. A form's file it makes anew, with another mark.
        let upload = range == nil ? S3Upload(file, in: self, memory, marker: name) : S3Upload(file, in: self, memory)
        do { try await upload.copy(pieces, range, finished) } catch {
            await upload.abandon()
            guard self.notesRefusal(error) else { throw await upload.withContext(error) }
            return nil
        }
        return upload
    }

    /// Whether the store hasn't refused to copy objects.
    private var mayCopy: Bool { !self.knowledge.refusesCopies.load(ordering: .relaxed) }

    /// Notes that the store doesn't copy, if an error shows that.
    @discardableResult
    func notesRefusal(_ error: any Error) -> Bool {
        let cause = (error as? S3Error) ?? (error as? FormworkError)?.cause as? S3Error
        guard let refusal = cause, refusal.refusesCopy else { return false }
        self.knowledge.refusesCopies.store(true, ordering: .relaxed)
        self.logger.warning(
            "the store can't copy parts of objects, so the bytes of resumed uploads pass through the receiver again",
            metadata: ["error": "\(refusal)"])
        return true
    }

    func find(_ upload: String, isDigesting: Bool) async throws -> FoundUpload {
        guard self.mayCopy, let finished = self.finished(upload) else { return (nil, nil) }
        let files = finished.files.filter { !isDigesting || $0.sha256 != nil }
        guard !files.isEmpty else { return (nil, nil) }
        let pieces = StoredPieces(pieces: finished.pieces, smallestPart: Int64(self.smallestPart))
        let client = self.client
        let form = StoredForm(upload: upload, length: pieces.count, files: files) { ranges in
            client.source(ranges.flatMap { pieces.slices($0) })
        }
        return (nil, form)
    }

    private func finished(_ name: String) -> FinishedPieces? { self.uploads.withLock { $0.finished[name] } }

    /// Remembers a complete upload while it is processed; `nil` forgets it.
    func finished(_ name: String, _ pieces: FinishedPieces?) {
        self.uploads.withLock { $0.finished[name] = pieces }
    }

    var bufferBytes: Int { Self.bufferBytes(self.options.partSize) }

    /// Bytes that a buffer with this many bytes uses: its size doubles as it grows.
    static func bufferBytes(_ count: Int) -> Int {
        let log = Int.bitWidth - max(0, count - 1).leadingZeroBitCount
        return 1 << min(log, Int.bitWidth - 2)
    }

    /// The part size for a file of this length.
    func partSize(for length: Int64?) -> Int {
        guard let length else { return self.options.partSize }
        // Rounded up. The length is a Content-Length, which can be any number.
        let (parts, rest) = length.quotientAndRemainder(dividingBy: Int64(Self.maximumParts))
        let needed = parts + (rest > 0 ? 1 : 0)
        return min(max(self.options.partSize, Int(clamping: needed)), Self.partSizes.upperBound)
    }

    /// Parts that an upload may send at once, now: more than the least number only while all uploads send few.
    func partsAtOnce(_ concurrency: PartConcurrency) -> Int {
        let hasRoom = self.partsOnTheWay.load(ordering: .relaxed) < self.options.partsOfAll
        return hasRoom ? concurrency.number : self.options.parallelism
    }

    func partBegins() { self.partsOnTheWay.add(1, ordering: .relaxed) }

    func partEnded() {
        guard self.partsOnTheWay.subtract(1, ordering: .relaxed).newValue == 0 else { return }
        self.buffers.trim(to: self.options.parallelism + 1)
    }

    func began(_ upload: String) { self.uploads.withLock { _ = $0.underWay.insert(upload) } }
    func ended(_ upload: String) { self.uploads.withLock { _ = $0.underWay.remove(upload) } }
    func isUnderWay(_ upload: String) -> Bool { self.uploads.withLock { $0.underWay.contains(upload) } }

    /// Reserves a name among the uploads of this process.
    /// - Returns: Whether no other upload had reserved it.
    func hold(_ name: String) -> Bool { self.uploads.withLock { $0.held.insert(name).inserted } }
    func releaseName(_ name: String) { self.uploads.withLock { _ = $0.held.remove(name) } }

    /// Whether a name is free: no object has it, and no upload except `mine` is open for it.
    func isFree(_ name: String, except mine: String? = nil) async throws -> Bool {
        let key = self.location.prefix + name
        // In this order: an upload that completes in between is already an object.
        guard try await self.openUploads(of: key).allSatisfy({ $0.id == mine }) else { return false }
        return try await self.client.head(key) == nil
    }

    /// Aborts the uploads of a key that were begun just before another one, and whose ids aren't known here. The name was
    /// free before.
    func abortTwins(of id: String, _ key: String, begunWithin duration: Duration) async throws {
        let uploads = try await self.openUploads(of: key)
        guard let own = uploads.first(where: { $0.id == id }) else { return }
        // Some stores give whole seconds.
        let earliest = own.initiated.addingTimeInterval(-(duration / .seconds(1)) - 1)
        for other in uploads where earliest...own.initiated ~= other.initiated && !self.isUnderWay(other.id) {
            try await self.client.abortUpload(key, id: other.id)
        }
    }

    /// The open uploads of exactly this key; none if the store doesn't list them.
    private func openUploads(of key: String) async throws -> [S3Client.OpenUpload] {
        do {
            // Keys are sorted, so this key's uploads come first.
            return try await self.client.openUploads(prefix: key, pages: 1).uploads.filter { $0.key == key }
        } catch let error as S3Error where error.isUnlisted {
            if !self.knowledge.hasLoggedMissingAccess.exchange(true, ordering: .relaxed) {
                self.logger.warning(
                    """
                    the store doesn't list open uploads, so two long files with the same name may collide, and one of \
                    them fails: allow s3:ListBucketMultipartUploads
                    """, metadata: ["error": "\(error)"])
            }
            return []
        }
    }

    /// The same error, with the location.
    func withContext(_ error: any Error) -> any Error {
        guard error is S3Error else { return error }
        return FormworkError(.writeFailed, "can't be stored in \(self.location)", cause: error)
    }
}

/// The names, with their folders, that are tried for a file, in order: its own, then with numbers, then with random
/// words, since thousands of files of the same name would need one look-up each.
struct ObjectNames: Sequence, IteratorProtocol {
    private let path: SafePath
    private let isOwnOnly: Bool
    private var tried = 0
    static let triesOfOwn = 4
    static let numbered = 20
    static let limit = 40

    /// A file that must not replace anything has only its own name. It is tried again, since of two uploads that begin at
    /// once both may give way.
    init(_ file: IncomingFile) { (self.path, self.isOwnOnly) = (file.path, file.condition == .isFree) }

    mutating func next() -> String? {
        defer { self.tried += 1 }
        switch self.tried {
        case 0: return self.path.text
        case _ where self.isOwnOnly: return self.tried < Self.triesOfOwn ? self.path.text : nil
        case 1...Self.numbered: return self.numbered("\(self.tried)")
        case ..<Self.limit: return self.numbered(String(UInt32.random(in: .min ... .max), radix: 36))
        default: return nil
        }
    }

    private func numbered(_ word: String) -> String {
        self.path.text(named: self.path.name.inserting(" (\(word))"))
    }
}
