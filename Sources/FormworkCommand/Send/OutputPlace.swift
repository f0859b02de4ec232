#if Transfer
import Formwork
import FormworkHTTP
import FormworkResumable
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A file that is written behind a transfer, looked at before it: what can't be kept should not be sent.
enum OutputPlace {
    /// Whether the answer can go there, as far as can be told without touching what is there.
    static func checkAnswer(_ path: String) throws {
        do {
            if FileManager.default.fileExists(atPath: path) {
                // Not a FIFO, where this would wait for a reader.
                guard self.kind(path) == .typeRegular || self.kind(path) == .typeDirectory else { return }
                try FileDescriptor.open(FilePath(path), .writeOnly, options: .closeOnExec).close()
            } else if self.kind(path) == nil {
                try self.tryFile(beside: FilePath(path))
            }
        } catch let error as FormworkError {
            throw FormworkError(
                .writeFailed, "the answer can't be written there", path: path, cause: error.cause)
        } catch {
            throw FormworkError(.writeFailed, "the answer can't be written there", path: path, cause: error)
        }
    }

    /// Whether `--state` can be kept there.
    static func checkState(_ path: String) throws {
        let shown = "formwork: --state \(ShellQuote.quote(path).withControlCharactersEscaped)"
        switch self.kind(path) {
        case .typeDirectory?: throw ExitStatus(23, "\(shown): is a folder: name a file in it")
        case nil, .typeRegular?, .typeSymbolicLink?: break
        default: throw ExitStatus(23, "\(shown): is a device, FIFO or socket: name a file")
        }
        do { try self.tryFile(beside: FilePath(path)) } catch {
            let cause = (error as? FormworkError)?.cause as? Errno
            let reason = cause.map { " (\($0))" } ?? ""
            throw ExitStatus(23, "\(shown): the upload's state can't be kept there\(reason)")
        }
    }

    /// What is there, a link not followed; `nil` for nothing.
    private static func kind(_ path: String) -> FileAttributeType? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
    }

    /// Makes a file in the same folder, and removes it: no answer about rights is as good.
    private static func tryFile(beside path: FilePath) throws {
        let name = ".formwork-\(UInt64.random(in: 0...UInt64.max))"
        let folder = path.removingLastComponent()
        let place = folder.isEmpty ? FilePath(name) : folder.appending(name)
        try PrivateFile.write([], to: place)
        PrivateFile.remove(place)
    }
}
#endif
