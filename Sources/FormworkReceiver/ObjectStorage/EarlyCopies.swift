#if Transfer
import Formwork
import FormworkCore
import FormworkResumable
import Logging

/// A form's large files, copied out of its pieces while the form arrives, so that little is left to do after its last byte.
///
/// They belong to one request, and are a guess: whatever turns out to be otherwise, they are abandoned, and the files are
/// copied when the form is complete.
actor EarlyCopies {
    private struct File {
        var file: IncomingFile
        var upload: S3Upload
        var start: Int64
        /// `nil` until the file has ended.
        var end: Int64?
        /// How many of its parts were begun.
        var begun = 0
        /// Whether all were.
        var isWhole = false
    }

    /// What is known of the form.
    struct Progress: Sendable {
        /// The pieces that are saved.
        var pieces: StoredPieces
        /// The large files that have ended.
        var files: [FormMap.File]
        var open: FormMapper.OpenFile?
        /// Bytes of the request so far.
        var brought: Int64
    }

    /// Copies that may be on their way before the client's next bytes have to wait.
    static let lag = 32

    private let storage: S3Storage
    private let name: @Sendable (FormMapper.OpenFile) -> IncomingFile?
    private let prepare: @Sendable () async throws -> Void
    private let confirm: @Sendable (_ key: String, _ upload: String?, _ marker: String?) async throws -> Void
    nonisolated let work: CopyWork
    private var files: [File] = []
    /// The file that was open at the last call, if it isn't large enough yet.
    private var seen: FormMapper.OpenFile?
    /// The uploads of the copies that were begun, in order.
    private var onTheWay: [S3Upload] = []
    private var copied: Int64 = 0
    /// The marks of files that were begun.
    private var markers: Set<String> = []
    /// Of these, those of which nothing is left.
    private var gone: Set<String> = []
    private var isOver = false

    /// - Parameters:
    ///   - name: A file as it will be stored; `nil` if that isn't known.
    ///   - prepare: Called before a file gets its name.
    ///   - confirm: Notes what makes a file.
    init(
        _ storage: S3Storage, name: @escaping @Sendable (FormMapper.OpenFile) -> IncomingFile?,
        prepare: @escaping @Sendable () async throws -> Void,
        confirm: @escaping @Sendable (_ key: String, _ upload: String?, _ marker: String?) async throws -> Void
    ) {
        (self.storage, self.name, self.prepare, self.confirm) = (storage, name, prepare, confirm)
        self.work = CopyWork(storage.options)
    }

    /// Copies what has been saved since, and begins the next file. Waits while too many copies are on their way.
    func advance(_ progress: Progress) async {
        guard !self.isOver, self.storage.mayCopy else {
            await self.abandon()
            return
        }
        do {
            for index in self.files.indices where self.files[index].end == nil {
                let start = self.files[index].start
                self.files[index].end = progress.files.last { $0.start == start }?.end
            }
            let unfinished = self.files.filter { !$0.isWhole }.map(\.start)
            for start in unfinished { try await self.copy(fileAt: start, progress) }
            await self.beginNext(progress)
        } catch {
            self.storage.notesRefusal(error)
            self.storage.logger.info(
                "the files of a form are copied when it is complete",
                metadata: ["error": "\("\(error)".withControlCharactersEscaped)"])
            await self.abandon()
        }
    }

    private func copy(fileAt start: Int64, _ progress: Progress) async throws {
        guard let file = self.files.first(where: { $0.start == start }) else { return }
        let saved = progress.pieces.count
        let parts: [StoredPieces.Part]
        if let end = file.end, end <= saved {
            parts = progress.pieces.parts(start..<end)
        } else {
            let open = progress.open.flatMap { $0.content.lowerBound == start ? $0.content.upperBound : nil }
            let known = file.end ?? open ?? start
            parts = progress.pieces.parts(start..<max(start, min(known, saved)), isWhole: false)
        }
        for part in parts.dropFirst(file.begun) {
            // A client that sends its form in many requests must not have the same bytes copied each time.
            guard self.copied + part.copiedBytes <= progress.brought else { return }
            while self.onTheWay.count >= Self.lag { await self.onTheWay.removeFirst().waitForOldest() }
            guard let index = self.files.firstIndex(where: { $0.start == start }) else { return }
            self.copied += part.copiedBytes
            self.files[index].begun += 1
            if try await file.upload.addEarly(part, self.work) { self.onTheWay.append(file.upload) }
        }
        guard let end = file.end, end <= saved, let index = self.files.firstIndex(where: { $0.start == start }) else {
            return
        }
        self.files[index].isWhole = true
    }

    /// Begins the file in which the bytes end, or ended at the last call.
    private func beginNext(_ progress: Progress) async {
        var candidates: [FormMapper.OpenFile] = []
        if let seen, let ended = progress.files.last(where: { $0.start == seen.content.lowerBound }) {
            candidates = [FormMapper.OpenFile(seen, ended.range)]
        }
        if let open = progress.open { candidates.append(open) }
        self.seen = progress.open
        for open in candidates where open.content.count >= self.storage.options.leastEarlyFile {
            let start = open.content.lowerBound
            guard !self.files.contains(where: { $0.start == start }), let file = self.name(open) else { continue }
            let upload = S3Upload(file, in: self.storage)
            self.markers.insert(upload.marker)
            self.files.append(File(file: file, upload: upload, start: start))
            await upload.beginEarly(self.work, self.prepare, self.confirm)
        }
    }

    /// Whether a file with this mark was begun here.
    func owns(_ marker: String?) -> Bool { marker.map { self.markers.contains($0) } ?? false }

    /// The upload of a file, which the caller has from now on; `nil` if it wasn't begun exactly like this.
    func claim(_ file: IncomingFile, _ range: Range<Int64>) async -> S3Upload? {
        if let index = self.files.firstIndex(where: { $0.start == range.lowerBound && $0.file.isStored(like: file) }) {
            return self.files.remove(at: index).upload
        }
        // One with its name would keep it from getting that.
        await self.abandon { $0 == range.lowerBound || $1 == file.path }
        return nil
    }

    /// Abandons files that aren't any of a complete form's.
    func keep(_ ranges: Set<Range<Int64>>) async {
        self.isOver = true
        let starts = Set(ranges.map(\.lowerBound))
        await self.abandon { start, _ in !starts.contains(start) }
    }

    /// Abandons all files that weren't claimed, and begins no other.
    /// - Returns: The marks of all files of which nothing is left.
    @discardableResult
    func abandon() async -> Set<String> {
        self.isOver = true
        await self.abandon { _, _ in true }
        return self.gone
    }

    private func abandon(_ isWrong: (_ start: Int64, _ path: SafePath) -> Bool) async {
        let wrong = self.files.filter { isWrong($0.start, $0.file.path) }
        self.files.removeAll { isWrong($0.start, $0.file.path) }
        for file in wrong {
            await file.upload.abandon()
            if await file.upload.isGone { self.gone.insert(file.upload.marker) }
        }
    }
}

extension FormMapper.OpenFile {
    fileprivate init(_ other: Self, _ content: Range<Int64>) {
        self = other
        self.content = content
    }
}

extension IncomingFile {
    /// Whether the objects of both get the same name and properties.
    fileprivate func isStored(like other: Self) -> Bool {
        self.path == other.path && self.contentType == other.contentType && self.metadata == other.metadata
            && self.condition == other.condition
    }
}
#endif
