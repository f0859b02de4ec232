import FormworkCore
import FormworkHTTP

/// The paths of an upload's files: from the client's names, and the terms on which the upload was accepted.
struct FileNaming: Sendable {
    var keepsPaths: Bool
    var terms: UploadTerms
    /// The most bytes of a path in the storage.
    var maximumPathBytes: Int
    /// The resumable upload that has the files; `nil` for another one.
    var upload: String?

    /// The name that a file would get without other terms.
    func name(_ path: SafePath) -> String { self.keepsPaths ? path.text : path.name.text }

    /// A file as it is stored.
    /// - Throws: 400 for a path that is too long.
    func file(_ path: SafePath, _ type: String?, length: Int64? = nil) throws(ProblemDetails) -> IncomingFile {
        var file = IncomingFile(
            try self.path(path), contentType: type, length: length, mayReplace: self.terms.mayReplace)
        (file.metadata, file.upload) = (self.terms.metadata ?? [:], self.upload)
        if !self.keepsPaths, self.terms.path == nil, !path.folders.isEmpty {
            file.droppedFolders = path.folders.map(\.text).joined(separator: "/")
        }
        return file
    }

    /// A part of a form as it is stored, if it has a name that can be used.
    /// - Throws: The same.
    func file(named filename: String?, _ type: String?) throws(ProblemDetails) -> IncomingFile? {
        guard let path = filename.flatMap({ SafePath($0, limit: IncomingUpload.nameBytes) }) else { return nil }
        return try self.file(path, type)
    }

    private func path(_ path: SafePath) throws(ProblemDetails) -> SafePath {
        let (folders, given) = (self.terms.folders, self.terms.path)
        guard self.keepsPaths || !folders.isEmpty || given != nil else { return SafePath(path.name) }
        let own = given?.folders ?? (self.keepsPaths ? path.folders : [])
        let path = SafePath((given ?? path).name, in: folders + own)
        let most = min(SafePath.maximumBytes, self.maximumPathBytes)
        guard !path.isTooLong, path.text.utf8.count <= most else {
            throw .badRequest("A file's path has more than \(SafePath.maximumDepth, "folder") or \(most, "byte").")
        }
        return path
    }
}
