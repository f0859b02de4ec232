#if Transfer
import Formwork
import FormworkCore
import Logging

/// Removes what an upload that failed has left in the store. What can't be removed is logged.
extension S3Storage {
    /// Aborts a multipart upload.
    /// - Returns: Whether the store doesn't have it any more.
    @discardableResult
    func abort(_ upload: S3Upload.Multipart, hadPartsOnTheWay: Bool) async -> Bool {
        let key = self.location.prefix + upload.name
        // If this fails, a sweep tries again.
        defer { self.ended(upload.id) }
        do {
            let wasThere = try await self.client.abortUpload(key, id: upload.id)
            // A part that was being received may still have been stored: aborting is complete only when the store
            // doesn't know the upload.
            if wasThere, hadPartsOnTheWay { try await self.client.abortUpload(key, id: upload.id) }
            return true
        } catch {
            self.report("aborted", key, error)
            return false
        }
    }

    /// Deletes an object if it has the mark.
    /// - Parameter version: Its version, if known; a version is never another upload's.
    func delete(_ name: String, markedWith marker: String, versionID version: String? = nil) async {
        let key = self.location.prefix + name
        do {
            var version = version
            if version == nil || version == "null" {
                guard let object = try await self.client.head(key), object.marker == marker else { return }
                version = object.versionID
            }
            try await self.client.delete(key, versionID: version)
        } catch {
            self.report("deleted", key, error)
        }
    }

    private func report(_ what: String, _ key: String, _ error: any Error) {
        self.logger.error(
            "an abandoned file can't be \(what) in the object store",
            metadata: [
                "key": "\(key.withControlCharactersEscaped)", "error": "\("\(error)".withControlCharactersEscaped)",
            ])
    }
}
#endif
