import FormworkSystem
import Synchronization

/// A file that is written: it appears, or replaces another one, only when it is complete.
///
/// A file that may be replaced is found as a shell finds it: links are followed, and the new file has the old one's
/// permissions and, if the system allows that, its owner and group. Devices, FIFOs and open descriptors such as /dev/stdout
/// are written at once.
package final class AtomicFile: Sendable {
    private enum State: Sendable {
        /// Invisible until it is published.
        case pending(PendingFile)
        /// Written at once.
        case direct(FileDescriptor)
        case closed
    }

    private let path: FilePath
    private let replacing: Bool
    private let state: Mutex<State>

    /// Opens the file; an existing one stays as it is until ``publish(durably:)``.
    /// - Parameters:
    ///   - replacing: Whether an existing file is replaced; otherwise it is an error.
    ///   - inPlace: Whether other paths below /dev and /proc are written at once, and so is an existing file in a folder in
    ///     which no new file can be created.
    ///   - plan: The body that is written to it, whose files it can't replace.
    /// - Throws: `writeFailed`; `invalidArgument` for a file of the plan.
    package init(
        _ path: FilePath, replacing: Bool, inPlace: Bool = false, for plan: BodyPlan? = nil
    ) throws(FormworkError) {
        (self.path, self.replacing) = (path, replacing)
        let open = try FormworkError.writing(path) { () throws(Errno) in try SystemCalls.copyOfDescriptor(named: path) }
        if let open {
            self.state = Mutex(.direct(open))
            return
        }
        let isSpecial = inPlace && (path.string.hasPrefix("/dev/") || path.string.hasPrefix("/proc/"))
        let target =
            isSpecial
            ? path : try FormworkError.writing(path) { () throws(Errno) in try SystemCalls.destination(of: path) }
        let existing = try? SystemCalls.status(of: target)
        let state: State
        switch existing?.kind {
        case .fifo:
            state = try FormworkError.writing(path) { () throws(Errno) in
                .direct(try SystemCalls.openFIFO(target, .writeOnly))
            }
        case .directory where !inPlace:
            throw FormworkError(.writeFailed, "is a directory: name a file in it", path: path.string)
        case .regular where !isSpecial, nil where !isSpecial:
            if !replacing { try PendingFile.checkFree(path) }
            if let existing {
                try plan?.refuseInput(existing, at: path)
                if !inPlace { try PendingFile.checkReplacing(target, named: path) }
            }
            do throws(FormworkError) {
                state = .pending(try PendingFile(at: target, replacing: existing))
            } catch {
                guard inPlace, existing != nil else { throw error }
                state = try Self.direct(target, path, [.create, .truncate])
            }
        default: state = try Self.direct(target, path, inPlace ? [.create, .truncate] : [])
        }
        self.state = Mutex(state)
    }

    private static func direct(
        _ target: FilePath, _ path: FilePath, _ options: FileDescriptor.OpenOptions
    ) throws(FormworkError) -> State {
        try FormworkError.writing(path) { () throws(Errno) in
            .direct(
                try SystemCalls.open(
                    target, .writeOnly, options, permissions: SystemCalls.newFilePermissions))
        }
    }

    deinit {
        switch self.state.withLock({ $0 }) {
        case .pending(let file): file.discard()
        case .direct(let descriptor): try? SystemCalls.close(descriptor)
        case .closed: break
        }
    }

    /// Where to write, before ``publish(durably:)``.
    var descriptor: FileDescriptor {
        switch self.state.withLock({ $0 }) {
        case .pending(let file): file.descriptor
        case .direct(let descriptor): descriptor
        case .closed: preconditionFailure("the file was published")
        }
    }

    /// Whether it isn't written at once.
    var isNew: Bool { if case .pending = self.state.withLock({ $0 }) { true } else { false } }

    /// Appends all of the bytes. A full disk or a closed FIFO is an error, never a signal.
    /// - Throws: `writeFailed`.
    package func write(_ bytes: some BodyChunk) throws(FormworkError) {
        let descriptor = self.descriptor
        try bytes.withBytes { bytes throws(FormworkError) in
            try SystemCalls.withoutWriteSignals(to: descriptor) { () throws(FormworkError) in
                try FormworkError.writing(self.path) { () throws(Errno) in try SystemCalls.writeAll(descriptor, bytes) }
            }
        }
    }

    /// Gives the complete file its name. Without this call, nothing is left of a file that was not written at once.
    /// - Throws: `writeFailed`.
    package func publish(durably: Bool = false) throws(FormworkError) {
        switch self.state.withLock({ $0 }) {
        case .pending(var file):
            self.state.withLock { $0 = .closed }
            do throws(FormworkError) { try file.publish(durably: durably, replacing: self.replacing) } catch {
                file.discard()
                throw error
            }
            file.close()
        case .direct(let descriptor):
            try FormworkError.writing(self.path) { () throws(Errno) in try SystemCalls.flush(descriptor) }
        case .closed: break
        }
    }

    /// An error in writing, with the path instead of the part, whose bytes only didn't fit.
    func named(_ error: FormworkError) -> FormworkError {
        guard error.code == .writeFailed, error.path == nil else { return error }
        return FormworkError(.writeFailed, "can't be written", path: self.path.string, cause: error.cause)
    }
}

extension BodyPlan {
    /// Refuses to write over a file that the body reads.
    /// - Parameter outer: The part that has this body as its content; `nil` for none.
    func refuseInput(_ output: FileStatus, at path: FilePath? = nil, in outer: PartReference? = nil)
        throws(FormworkError)
    {
        for piece in self.layoutPieces {
            guard case .source(let number) = piece.content else { continue }
            let part = self.isForm && piece.part >= 0 ? self.storage.parts[piece.part].reference : outer
            switch self.storage.sources[number] {
            case .encoded(let content): try content.raw.refuseInput(output, at: path, in: part)
            case .file(let file) where file.status.validator.isSameFile(as: output.validator):
                throw FormworkError(
                    .invalidArgument, "the output is also an input: write to another file", part: part,
                    path: path?.string ?? file.path)
            default: continue
            }
        }
    }
}
