#if Transfer
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif
    import Formwork
    import FormworkCore
    import FormworkHTTP
    import HTTPTypes
    import Synchronization
    import SystemPackage

    /// Uploads on their way, in a folder: `NAME.data` holds the bytes, `NAME.json` what was said of them.
    ///
    /// Several processes may share the folder: an upload is one's at a time. Nothing is kept in memory that the files
    /// don't hold, so it survives the end of the process at any moment.
    package final class UploadStore: Sendable {
        package let folder: FilePath
        package let options: UploadStoreOptions
        /// Those in use, or used before; one object for each.
        private let uploads = Mutex<[String: StoredUpload]>([:])

        /// Opens a folder, or makes it, for this user alone.
        /// - Parameter makesFolder: Whether it is made now, and not only for the first upload.
        /// - Throws: `writeFailed`.
        package init(
            _ folder: FilePath, options: UploadStoreOptions = UploadStoreOptions(), makesFolder: Bool = true
        ) throws(FormworkError) {
            (self.folder, self.options) = (folder, options)
            if makesFolder { try self.makeFolder() }
        }

        private func makeFolder() throws(FormworkError) {
            do {
                try FileManager.default.createDirectory(
                    atPath: self.folder.string, withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            } catch {
                throw FormworkError(.writeFailed, "uploads can't be kept there", path: self.folder.string, cause: error)
            }
        }

        /// Begins an upload.
        /// - Returns: `nil` when there are too many, or too many bytes.
        /// - Throws: `writeFailed`.
        func create(
            _ creation: UploadCreation, _ request: HTTPRequest, now: Date = Date()
        ) throws(FormworkError) -> StoredUpload? {
            let record = UploadRecord(creation, request, now: now, lifetime: self.options.lifetime)
            let name = Self.newName()
            // The record comes last: an upload that has none doesn't exist.
            return try self.uploads.withLock { uploads throws(FormworkError) -> StoredUpload? in
                guard self.hasRoom(for: creation.length ?? 0) else { return nil }
                try self.makeFolder()
                _ = try AppendedFile(self.dataPath(name), creating: true)
                do throws(FormworkError) {
                    try record.write(to: self.recordPath(name), durably: self.options.isDurable)
                } catch {
                    PrivateFile.remove(self.dataPath(name))
                    throw error
                }
                let upload = StoredUpload(name, in: self, record)
                uploads[name] = upload
                return upload
            }
        }

        /// The upload of a name; `nil` when there is none, or its time is over.
        func upload(_ name: String, now: Date = Date()) -> StoredUpload? {
            guard Self.isName(name) else { return nil }
            return self.uploads.withLock { uploads in
                guard let record = UploadRecord(at: self.recordPath(name)), record.expires > now else {
                    uploads[name] = nil
                    return nil
                }
                if let upload = uploads[name] { return upload }
                let upload = StoredUpload(name, in: self, record)
                uploads[name] = upload
                return upload
            }
        }

        /// Removes an upload's files.
        func remove(_ name: String) {
            self.uploads.withLock { $0[name] = nil }
            // The record goes first, and the upload with it.
            PrivateFile.remove(self.recordPath(name))
            PrivateFile.remove(self.dataPath(name))
        }

        /// An upload, as a list shows it.
        package struct Entry: Sendable, Hashable {
            package var name: String
            package var offset: Int64
            package var length: Int64?
            package var contentType: String?
            package var created: Date
            package var expires: Date
            package var isFinished: Bool
        }

        /// All uploads, the oldest first.
        package func list() -> [Entry] {
            self.names(".json").compactMap { name in
                guard let record = UploadRecord(at: self.recordPath(name)) else { return nil }
                let size = record.answer == nil ? self.size(self.dataPath(name)) : record.length ?? 0
                return Entry(
                    name: name, offset: record.uncheckedOffset ?? size, length: record.length,
                    contentType: record.contentType, created: record.created, expires: record.expires,
                    isFinished: record.answer != nil)
            }.sorted { ($0.created, $0.name) < ($1.created, $1.name) }
        }

        /// Removes the uploads whose time is over, and what an end of the process left half made.
        /// - Returns: How many uploads.
        @discardableResult
        package func removeExpired(now: Date = Date()) -> Int {
            var count = 0
            for name in self.names(".json") {
                if let record = UploadRecord(at: self.recordPath(name)), record.expires > now { continue }
                self.remove(name)
                count += 1
            }
            let records = Set(self.names(".json"))
            for name in self.names(".data") where !records.contains(name) && self.isOld(self.dataPath(name), now) {
                PrivateFile.remove(self.dataPath(name))
            }
            return count
        }

        func dataPath(_ name: String) -> FilePath { self.folder.appending("\(name).data") }
        func recordPath(_ name: String) -> FilePath { self.folder.appending("\(name).json") }

        private func hasRoom(for length: Int64) -> Bool {
            guard self.names(".json").count < self.options.maximumCount else { return false }
            guard let most = self.options.maximumTotalSize else { return true }
            let taken = self.names(".data").reduce(0) { $0 + self.size(self.dataPath($1)) }
            return length <= most - taken
        }

        private func names(_ suffix: String) -> [String] {
            let all = (try? FileManager.default.contentsOfDirectory(atPath: self.folder.string)) ?? []
            return all.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }.filter(Self.isName)
        }

        private func size(_ path: FilePath) -> Int64 { (try? FileValidator(ofRegularFile: path))?.size ?? 0 }

        private func isOld(_ path: FilePath, _ now: Date) -> Bool {
            guard let modified = (try? FileValidator(ofRegularFile: path))?.modified else { return false }
            return now.timeIntervalSince1970 - Double(modified) / 1e9 > 3600
        }

        /// 128 bits of the system's generator: the URL is all that a client needs to write into the upload.
        private static func newName() -> String {
            var generator = SystemRandomNumberGenerator()
            let digits = String(UInt128.random(in: .min ... .max, using: &generator), radix: 16)
            return String(repeating: "0", count: 32 - digits.count) + digits
        }

        private static func isName(_ text: String) -> Bool {
            text.utf8.count == 32 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        }
    }
#endif
