#if Transfer
import Formwork
import FormworkCore
import FormworkFiles
import FormworkSystem
import FormworkResumable
import NIOPosix
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Messages in a hidden folder of the destination, where a publication makes them appear together with its files.
package struct FolderNotices: NoticeBox {
    static let folderName = ".formwork-hooks"
    private static let suffix = ".json"

    private let folder: FilePath

    package var leastAge: Double { 0 }

    /// - Parameter destination: The folder of the files.
    /// - Throws: `writeFailed`.
    package init(in destination: FilePath) throws(FormworkError) {
        self.folder = destination.appending(Self.folderName)
        try self.folder.makePrivateFolder(for: "messages")
    }

    private func path(_ name: String) -> FilePath { self.folder.appending(name + Self.suffix) }

    /// The path of a message, below the destination.
    static func safePath(_ name: String) -> SafePath {
        SafePath(SafeFilename(unchecked: name + self.suffix), in: [SafeFilename(unchecked: self.folderName)])
    }

    package func put(_ bytes: [UInt8], _ name: String) async throws {
        let path = self.path(name)
        try await NIOThreadPool.singleton.runIfActive { try PrivateFile.write(bytes, to: path) }
    }

    package func get(_ name: String) async throws -> [UInt8]? {
        let path = self.path(name).string
        return try await NIOThreadPool.singleton.runIfActive {
            FileManager.default.contents(atPath: path).map { Array($0) }
        }
    }

    package func remove(_ name: String) async throws {
        let path = self.path(name)
        try await NIOThreadPool.singleton.runIfActive { PrivateFile.remove(path) }
    }

    package func list() async throws -> [(name: String, age: Double)] {
        let folder = self.folder
        return try await NIOThreadPool.singleton.runIfActive {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.string)
            let now = Date.now.timeIntervalSince1970
            return names.filter { $0.hasSuffix(Self.suffix) && !$0.hasPrefix(".") }.map { name in
                // One that has gone in the meantime has no age, nor has one of a clock that was ahead.
                let written = (try? FileValidator(ofRegularFile: folder.appending(name)))?.modified
                return (String(name.dropLast(Self.suffix.count)), written.map { max(0, now - Double($0.seconds)) } ?? 0)
            }
        }
    }
}
#endif
