import ArgumentParser
import Formwork
import FormworkSystem

/// Replaces a pattern or a folder in an argument of `-F` by the files it means, each as a part of its own.
///
/// The shell can't do that: it sees `photos=@*.jpg` as one word, which no file matches.
struct FileExpansion {
    /// Whether a folder means all files below it.
    var isRecursive: Bool
    /// Whether a folder is an empty file, and a pattern the name of one file, as curl has it.
    var isCurl = false

    /// The arguments that one means; the same if there is nothing to replace.
    /// - Throws: `sourceUnavailable` for a pattern or a folder without files, or that can't be read, a folder if it isn't recursive, `invalidArgument` for a filename of several
    ///   files.
    func expand(_ argument: FormArgument) throws(FormworkError) -> [FormArgument] {
        guard case .files(let files) = argument.content else { return [argument] }
        var isReplaced = false
        var expanded: [FormArgument.File] = []
        for file in files {
            guard let found = try self.files(of: file) else {
                expanded.append(file)
                continue
            }
            isReplaced = true
            guard found.count == 1 || file.parameters.filename == nil else {
                throw FormworkError(
                    .invalidArgument, "filename= names one file, but \(file.path) means \(found.count): leave it out")
            }
            expanded += found
        }
        guard isReplaced else { return [argument] }
        return expanded.map { file in
            var single = argument
            single.content = .files([file])
            return single
        }
    }

    /// `nil` for a path that is neither a pattern nor a folder to send.
    private func files(of file: FormArgument.File) throws(FormworkError) -> [FormArgument.File]? {
        let path = file.path
        if self.isRecursive || !self.isCurl, Self.type(of: path) == .directory {
            guard self.isRecursive else {
                throw FormworkError(
                    .sourceUnavailable, "is a directory: name a file in it, or add --recursive for all of its files",
                    path: path)
            }
            let found = try self.files(inFolderOf: file)
            guard !found.isEmpty else {
                throw FormworkError(.sourceUnavailable, "is a folder without files", path: path)
            }
            return found
        }
        guard !self.isCurl, path.contains(where: { "*?[".contains($0) }), Self.type(of: path) == nil else { return nil }
        var found: [FormArgument.File] = []
        let paths: [[UInt8]]
        do throws(SystemCalls.UnreadablePath) { paths = try SystemCalls.paths(matching: path) } catch {
            throw Self.unreadable(Self.escaped(error.path), error.reason)
        }
        for bytes in paths {
            let match = try Self.text(of: bytes)
            var next = file
            next.path = match
            switch Self.type(of: match) {
            case .directory where self.isRecursive: found += try self.files(inFolderOf: next)
            case .directory: Messages.warn("\(match) is a folder, and isn't sent: --recursive sends the files in it")
            // What isn't there any more is an error when it is read.
            case .regular, nil: found.append(next)
            // A FIFO would be waited for.
            case _?: Messages.warn("\(match) isn't a file, and isn't sent")
            }
        }
        guard !found.isEmpty else { throw FormworkError(.sourceUnavailable, "matches no file", path: path) }
        return found
    }

    /// The files below a folder, with names relative to it that begin with its own, as browsers send them.
    private func files(inFolderOf file: FormArgument.File) throws(FormworkError) -> [FormArgument.File] {
        let folder = FilePath(file.path)
        let own = folder.lastComponent.map { $0.kind == .regular ? "\($0.string)/" : "" } ?? ""
        var found: [FormArgument.File] = []
        try self.walk(folder.string, own) { path, name in
            var next = file
            next.path = path
            if next.parameters.filename == nil { next.parameters.filename = name }
            found.append(next)
        }
        return found
    }

    /// Visits regular files, and links to them, in the order of their names' bytes. Links to folders aren't followed.
    private func walk(
        _ folder: String, _ prefix: String, _ visit: (_ path: String, _ name: String) -> Void
    ) throws(FormworkError) {
        for (path, name, kind) in try Self.entries(of: folder) {
            switch kind == .symbolicLink ? try Self.target(of: path) : kind {
            case .regular?: visit(path, prefix + name)
            case .directory? where kind == .directory: try self.walk(path, "\(prefix)\(name)/", visit)
            case .directory?: Messages.warn("\(path) is a link to a folder, and isn't sent")
            case nil: Messages.warn("\(path) is a link to nothing, and isn't sent")
            case _?: Messages.warn("\(path) isn't a file, and isn't sent")
            }
        }
    }

    /// What is in a folder, in the order of the names' bytes. Links are themselves.
    private static func entries(
        of folder: String
    ) throws(FormworkError) -> [(path: String, name: String, kind: FileType)] {
        let opened: FileDescriptor
        do throws(Errno) { opened = try SystemCalls.open(FilePath(folder), .readOnly, .directory) } catch {
            throw self.unreadable(folder, error)
        }
        defer { try? SystemCalls.close(opened) }
        let names: [[UInt8]]
        do throws(Errno) { names = try SystemCalls.rawNames(in: opened) } catch { throw self.unreadable(folder, error) }
        let start = folder.hasSuffix("/") ? folder : folder + "/"
        return try names.sorted { $0.lexicographicallyPrecedes($1) }.map { bytes throws(FormworkError) in
            let path = try self.text(of: start.utf8 + bytes)
            let name = String(decoding: bytes, as: UTF8.self)
            do throws(Errno) { return (path, name, try SystemCalls.status(of: name, in: opened).kind) } catch {
                throw self.unreadable(path, error)
            }
        }
    }

    /// What a link leads to; `nil` if nothing is there.
    private static func target(of link: String) throws(FormworkError) -> FileType? {
        do throws(Errno) { return try SystemCalls.status(of: FilePath(link)).kind } catch {
            if [.noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels].contains(error) { return nil }
            throw self.unreadable(link, error)
        }
    }

    private static func unreadable(_ path: String, _ error: any Error) -> FormworkError {
        FormworkError(.sourceUnavailable, "can't be read", path: path, cause: error)
    }

    /// A path as text.
    /// - Throws: `sourceUnavailable` for bytes that aren't UTF-8. Repaired text would be the path of another file.
    static func text(of path: [UInt8]) throws(FormworkError) -> String {
        if let text = String(validating: path, as: UTF8.self) { return text }
        throw FormworkError(
            .sourceUnavailable, "has a name that isn't UTF-8: rename it, or send it as NAME=@- with ;filename=NAME",
            path: self.escaped(path))
    }

    /// The text with every byte that isn't UTF-8 as `\xFF`.
    private static func escaped(_ bytes: [UInt8]) -> String {
        var (text, rest) = ("", bytes[...])
        while let first = rest.first {
            let length = (1...min(4, rest.count)).first { String(validating: rest.prefix($0), as: UTF8.self) != nil }
            if let length {
                text += String(decoding: rest.prefix(length), as: UTF8.self)
            } else {
                text += "\\x" + (first < 16 ? "0" : "") + String(first, radix: 16, uppercase: true)
            }
            rest = rest.dropFirst(length ?? 1)
        }
        return text
    }

    /// The type of what a path leads to; `nil` if nothing is there.
    private static func type(of path: String) -> FileType? { (try? SystemCalls.status(of: FilePath(path)))?.kind }
}

/// Completes the file in an argument such as `name=@file` or `@file`. Shells do that only for a file that is a whole word.
///
/// bash would run `$(command)` in a file's name, and its script completes these files itself.
package enum FileWord {
    package static let completion = CompletionKind.custom { words, index, _ in
        words.indices.contains(index) ? FileWord.completions(of: words[index]) : []
    }

    private static func completions(of typed: String) -> [String] {
        // Quotes and backslashes come as they were typed.
        let word = typed.replacing(#/^['"]|\\/#, with: "")
        guard let sign = word.firstIndex(where: { "@<".contains($0) }), CompletionShell.requesting != .bash else {
            return []
        }
        var files = self.files(beginning: String(word[word.index(after: sign)...]))
        // After the only completion the word would end, but a path continues after a folder.
        if files.count == 1, files[0].hasSuffix("/") { files += self.files(beginning: files[0]) }
        return files.map { file in
            let text = String(word[...sign]) + file
            // zsh separates a description by a colon.
            return CompletionShell.requesting == .zsh ? text.replacing(#/[\\:]/#) { "\\\($0.output)" } : text
        }
    }

    private static func files(beginning path: String) -> [String] {
        let pattern = path.replacing(#/[*?\[\\]/#) { "\\\($0.output)" } + "*"
        let found = (try? SystemCalls.paths(matching: pattern)) ?? []
        return found.compactMap { String(validating: $0, as: UTF8.self) }.map { file in
            let isFolder = (try? SystemCalls.status(of: FilePath(file)).kind) == .directory
            return isFolder ? file + "/" : file
        }
    }
}
