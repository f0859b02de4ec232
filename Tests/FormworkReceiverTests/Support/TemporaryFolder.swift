#if Transfer
import Foundation
import SystemPackage

/// A folder of one test's own, gone with it.
final class TemporaryFolder: Sendable {
    let path: FilePath

    init() {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("formwork-\(UUID().uuidString)")
        // A test can't go on without a folder.
        try! FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        self.path = FilePath(url.path)
    }

    deinit { try? FileManager.default.removeItem(atPath: self.path.string) }

    /// The names in the folder, hidden ones too, sorted.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: self.path.string)) ?? []).sorted()
    }

    func empty() throws {
        for name in self.names { try FileManager.default.removeItem(atPath: self.path.appending(name).string) }
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: self.path.appending(name).string))
    }

    func text(of name: String) throws -> String {
        String(
            decoding: try Data(contentsOf: URL(fileURLWithPath: self.path.appending(name).string)), as: UTF8.self)
    }
}
#endif
