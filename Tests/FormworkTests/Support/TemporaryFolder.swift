import Foundation
import SystemPackage
import Testing

/// A folder of one test's own, gone with it.
final class TemporaryFolder {
    let path: FilePath

    init(in place: URL = FileManager.default.temporaryDirectory) {
        let url = place.appendingPathComponent("formwork-test-\(UUID().uuidString)")
        // A test can't go on without a folder.
        try! FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        self.path = FilePath(url.path)
    }

    deinit { try? FileManager.default.removeItem(atPath: self.path.string) }

    /// Writes a file and gives its path.
    func file(_ name: String, _ bytes: [UInt8]) throws -> FilePath {
        let path = self.path.appending(name)
        try Data(bytes).write(to: URL(fileURLWithPath: path.string))
        return path
    }

    func file(_ name: String, _ text: String) throws -> FilePath { try self.file(name, Array(text.utf8)) }

    /// The names in the folder, hidden ones too, sorted.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: self.path.string)) ?? []).sorted()
    }
}

/// A file's bytes.
func contents(of path: FilePath) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path.string))) }

/// Descriptors that this process has open.
func openDescriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
}

/// Descriptors that this process has open on files in a folder, those without a name counted.
func openDescriptors(leadingInto folder: FilePath) -> Int {
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return numbers.count { number in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        return target?.hasPrefix("\(folder)/") ?? false
    }
}

extension FilePath {
    /// Sets the file's times, by `touch`: Foundation's dates have no nanoseconds.
    func touch(_ arguments: String...) throws {
        let process = try Process.run(URL(fileURLWithPath: "/usr/bin/touch"), arguments: arguments + [self.string])
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }
}
