import Foundation
import SystemPackage

/// A folder of one test's own, gone with it.
package final class TemporaryFolder: Sendable {
    package let path: FilePath

    package init(in place: URL = FileManager.default.temporaryDirectory) {
        let url = place.appendingPathComponent("formwork-test-\(UUID().uuidString)")
        // A test can't go on without a folder.
        try! FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        self.path = FilePath(url.path)
    }

    deinit { try? FileManager.default.removeItem(atPath: self.path.string) }

    /// Writes a file and gives its path.
    package func file(_ name: String, _ bytes: [UInt8]) throws -> FilePath {
        let path = self.path.appending(name)
        try Data(bytes).write(to: URL(fileURLWithPath: path.string))
        return path
    }

    @discardableResult
    package func file(_ name: String, _ text: String) throws -> FilePath { try self.file(name, Array(text.utf8)) }

    /// A file's content as text.
    package func text(of name: String) throws -> String {
        String(decoding: try contents(of: self.path.appending(name)), as: UTF8.self)
    }

    /// Removes what is in the folder.
    package func empty() throws {
        for name in self.names { try FileManager.default.removeItem(atPath: self.path.appending(name).string) }
    }

    /// What is in the folder, files without a name included as long as this process has them open.
    package var traces: [String] {
        get throws {
            let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            let open = descriptors.compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
            return self.names + open.filter { $0.hasPrefix(self.path.string) }
        }
    }

    /// The names in the folder, hidden ones too, sorted.
    package var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: self.path.string)) ?? []).sorted()
    }
}

/// A file's bytes.
package func contents(of path: FilePath) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path.string)))
}

/// Descriptors that this process has open.
package func openDescriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
}

/// Descriptors that this process has open on files in a folder, those without a name counted.
package func openDescriptors(leadingInto folder: FilePath) -> Int {
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return numbers.count { number in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        return target?.hasPrefix("\(folder)/") ?? false
    }
}
