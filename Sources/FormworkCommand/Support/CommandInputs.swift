import ArgumentParser
import Formwork
import FormworkSystem
import Synchronization

/// What the options and parts of a command read. A second reader of a pipe would get nothing, and send an empty file; and no
/// output may replace a file that is read.
package enum CommandInputs {
    /// What can be read only once.
    private enum Pipe: Hashable {
        case standardInput
        /// A FIFO, such as that of `<(…)`, whatever its path.
        case other(PipeIdentity)

        /// `nil` for a file that can be read again.
        init?(_ file: String) {
            if file == "-" {
                self = .standardInput
                return
            }
            guard let pipe = PipeIdentity(try? SystemCalls.status(of: FilePath(file))) else { return nil }
            self = pipe == .standardInput ? .standardInput : .other(pipe)
        }
    }

    private struct State {
        var readers: [Pipe: (option: String, isPart: Bool)] = [:]
        var files: [String] = []
    }

    private static let state = Mutex(State())

    /// The files that options have read so far, without those of parts.
    static var files: [String] { self.state.withLock(\.files) }

    /// Notes who reads a file, before it is read.
    /// - Parameters:
    ///   - file: Its path, or `-` for standard input.
    ///   - option: The option and its value, as errors show them.
    ///   - isPart: Whether it is the content of a part. The form itself decides between two parts: curl's second one is
    ///     empty.
    /// - Throws: ``ExitStatus`` with 2 if another option reads the same pipe.
    package static func note(_ file: String, for option: String, isPart: Bool = false) throws(ExitStatus) {
        let pipe = Pipe(file)
        let other = self.state.withLock { state -> String? in
            guard let pipe else {
                if !isPart { state.files.append(file) }
                return nil
            }
            guard let (other, isOther) = state.readers[pipe] else {
                state.readers[pipe] = (option, isPart)
                return nil
            }
            return isPart && isOther ? nil : other
        }
        guard let other else { return }
        let both = other == option ? "\(option) is given twice, and each reads" : "\(other) and \(option) both read"
        let what = pipe == .standardInput ? "standard input" : "one pipe"
        throw ExitStatus(2, "\(both) \(what), which can be read only once: give one of them a file")
    }

    /// Lets options read their FIFOs once more: another program may have written to them since. Standard input stays read.
    package static func readAgain() {
        self.state.withLock { state in state.readers = state.readers.filter { $0.key == .standardInput } }
    }

    /// The source that an option names: a file, or standard input for `-`.
    /// - Parameter option: The option and its value, as errors show them.
    static func source(_ file: String, for option: String) throws(ExitStatus) -> BodySource {
        try self.note(file, for: option)
        guard file != "-" else { return .descriptor(.standardInput) }
        do throws(FormworkError) { return .file(try FilePath(ofFile: file)) } catch {
            throw ExitStatus(error.changed { $0.path = nil }).about(option)
        }
    }
}

extension FormworkError {
    /// The same error with other members.
    func changed(_ change: (inout FormworkError) -> Void) -> FormworkError {
        var error = self
        change(&error)
        return error
    }

    /// The option with which a form gets a length, as the end of an error; empty if no option helps.
    package var lengthRemedy: String {
        ["standard input", "quoted-printable"].contains(where: self.message.hasPrefix) ? ": --spool finds it" : ""
    }
}

extension String {
    /// The name after `@`, with which an option's value names a file; `nil` for another value.
    package var fileAfterSign: Substring? {
        // By bytes: the sign and a combining mark after it are one Character.
        self.utf8.first == UInt8(ascii: "@") ? Substring(self.utf8.dropFirst()) : nil
    }
}

/// Small files that options name: secrets, headers.
package enum GivenFile {
    /// Reads a file once, as it may be a pipe: `--token-file <(pass show upload)`.
    /// - Parameters:
    ///   - file: Its path, or `-` for standard input.
    ///   - option: The option and its value, as errors show them.
    ///   - limit: Bytes that it may have.
    ///   - remedy: What to do with a larger one.
    /// - Throws: ``ExitStatus``, with the option in its message.
    package static func bytes(
        of file: String, _ option: String, limit: Int, tooLarge remedy: String = "name another file"
    ) throws -> [UInt8] {
        let source = try CommandInputs.source(file, for: option)
        do { return try BodyPlan(copying: source).bytes(upTo: limit) } catch {
            var error = error
            // The reader's plan has one part.
            (error.path, error.part, error.offset) = (nil, nil, nil)
            if error.code == .limitExceeded {
                let most = limit >> 20 > 0 ? "\(limit >> 20) MiB" : "\(limit >> 10) KiB"
                error.message = "it has more than \(most): \(remedy)"
            }
            throw ExitStatus(error).about(option)
        }
    }
}

extension ValidationError {
    /// Checks options that may have no use together.
    /// - Parameter faults: What may be wrong, and whether it is. The first that is ends the command.
    package static func check(_ faults: KeyValuePairs<String, Bool>) throws {
        if let fault = faults.first(where: \.value)?.key { throw ValidationError(fault) }
    }
}

/// Names of files that options give.
package enum GivenPath {
    /// Refuses empty names, such as an unset variable of a shell gives. `FilePath` takes them for the current folder.
    /// - Parameter paths: By option; `nil` for one that wasn't given.
    package static func check(_ paths: KeyValuePairs<String, String?>) throws {
        for (option, path) in paths {
            try ValidationError.check(["\(option): the path is empty": path?.isEmpty == true])
        }
    }

    /// Refuses an output whose name is a folder's. `FilePath` drops the slash, and a file would be created.
    package static func checkOutput(_ option: String, _ path: String?) throws(ExitStatus) {
        guard let path, path.hasSuffix("/") else { return }
        let shown = ShellQuote.quote(path)
        throw ExitStatus(23, "\(option) \(shown): ends with a slash, so it names a folder: name a file in it")
    }
}

/// Keeps an output apart from the inputs: a file that is read must not be replaced by what is made of it.
package enum SeparateOutput {
    /// Refuses an output that is one of the inputs, or standard input, under any name.
    /// - Parameters:
    ///   - option: The output's option, for the message.
    ///   - output: `nil` and `-` are standard output.
    ///   - inputs: Paths of files. Those that options have read (``CommandInputs``) are inputs, too.
    package static func check(
        _ option: String, _ output: String?, inputs: some Sequence<String>
    ) throws(ExitStatus) {
        guard let output, output != "-", let own = try? SystemCalls.status(of: FilePath(output)), own.kind == .regular
        else { return }
        func isSame(_ other: FileStatus?) -> Bool {
            own.validator.isSameFile(as: other?.validator)
        }
        let isInput =
            isSame(try? SystemCalls.status(of: FileDescriptor.standardInput))
            || (CommandInputs.files + inputs).contains { isSame(try? SystemCalls.status(of: FilePath($0))) }
        guard isInput else { return }
        let shown = ShellQuote.quote(output)
        throw ExitStatus(2, "\(option) \(shown): this file is also read, and would be replaced: name another one")
    }
}
