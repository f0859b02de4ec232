#if Command
import Formwork
import FormworkFiles
import SystemPackage

/// Writes parts as files of a folder.
final class FolderSink: PartSink {
    /// Below the 255 bytes of a file system, to leave room for the number that is added to a duplicate name.
    private static let nameBytes = 240

    private let folder: StagedFolder
    private(set) var selector: PartSelector
    private var file: StagedFile?
    private var count = 0

    init(_ folder: StagedFolder, _ selector: PartSelector) { (self.folder, self.selector) = (folder, selector) }

    func begin(_ header: ReceivedHeader, at offset: Int64) throws {
        self.count += 1
        guard self.selector.takes(header) else { return }
        self.file = try self.folder.makeFile(self.name(for: header))
    }

    func take(_ bytes: [UInt8], _ range: Range<Int>) throws { try self.file?.write(bytes, range) }

    func end() { self.file = nil }

    /// The filename of a file, the name of a field, or `part-N` if that isn't usable as a filename.
    private func name(for header: ReceivedHeader) -> SafeFilename {
        let wanted = header.isFile ? header.filename : header.name
        // Letters, digits and a dash are safe.
        return wanted.flatMap { SafeFilename($0, limit: Self.nameBytes) } ?? SafeFilename("part-\(self.count)")!
    }
}
#endif
