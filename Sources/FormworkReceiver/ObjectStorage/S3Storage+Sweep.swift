import Formwork
import FormworkEssentials
import Logging

extension S3Storage {
    /// Aborts uploads that killed receivers left: uploads below the prefix that began, and received their last
    /// part, longer ago than `age` by the store's own clock.
    ///
    /// An active upload is kept: always if it belongs to this process, and because of its recent parts if it belongs to
    /// another receiver. Without a prefix nothing is swept, since others may use the bucket too. A rule of the bucket
    /// (`AbortIncompleteMultipartUpload` in its lifecycle) does the same if no receiver is started again. If the keys
    /// may not list uploads, nothing is swept either, and this is logged.
    /// - Returns: The keys of the uploads that were aborted.
    /// - Throws: ``FormworkError/Code/writeFailed`` if the store can't be queried, which includes wrong keys and a
    ///   missing bucket.
    @discardableResult
    func sweep(olderThan age: Duration? = nil) async throws -> [String] {
        let age = age ?? self.options.abandonAfter
        do {
            var aborted: [String] = []
            let prefix = self.location.prefix
            // Without a prefix, one page is requested all the same, to check that the bucket can be reached.
            let (uploads, now) = try await self.client.openUploads(prefix: prefix, pages: prefix.isEmpty ? 1 : .max)
            let limit = now.addingTimeInterval(-Double(age.components.seconds))
            for upload in uploads {
                // Those of unfinished uploads have a lifetime of their own.
                guard !prefix.isEmpty, let name = self.location.name(ofKey: upload.key), !self.isUnderWay(upload.id),
                    !name.utf8.starts(with: Self.unfinishedFolder.utf8),
                    self.options.keepsPaths || !name.utf8.contains(UInt8(ascii: "/")),
                    upload.initiated < limit
                else { continue }
                if let last = try await self.client.lastPart(of: upload), last >= limit { continue }
                try await self.client.abortUpload(upload.key, id: upload.id)
                aborted.append(upload.key)
                self.logger.notice(
                    "an upload left by a killed receiver was aborted",
                    metadata: [
                        "key": "\(upload.key.withControlCharactersEscaped)", "initiated": "\(upload.initiated)",
                    ])
            }
            return aborted
        } catch let error as S3Error where error.isUnlisted {
            self.logger.warning(
                "can't look for uploads that killed receivers left in the object store",
                metadata: ["error": "\(error)"])
            return []
        } catch let error as S3Error {
            throw FormworkError(.writeFailed, "\(self.location) can't be used", cause: error)
        }
    }
}

extension S3Storage {
    /// Sweeps regularly. If an abort failed, or the answer to the request that began an upload was lost, the name would
    /// otherwise stay taken until the next start.
    /// - Parameters:
    ///   - age: How long an upload must have been without a new part; by default that of the options.
    ///   - pause: The time between two sweeps. By default the age, at least a minute and at most an hour.
    ///   - also: Called with each sweep, for what else may have been left.
    func sweeper(
        olderThan age: Duration? = nil, pause: Duration? = nil,
        also: @escaping @Sendable () async throws -> Void = {}
    ) -> Sweeper {
        let age = age ?? self.options.abandonAfter
        let pause = pause ?? min(max(age, .seconds(60)), .seconds(3600))
        return Sweeper(firstPause: pause) {
            do {
                try await self.sweep(olderThan: age)
                try await also()
            } catch {
                guard !Task.isCancelled else { return pause }
                self.logger.warning(
                    "can't look for uploads left in the object store",
                    metadata: ["error": "\("\(error)".withControlCharactersEscaped)"])
            }
            return pause
        }
    }
}

/// Removes what an upload that failed has left in the store. What can't be removed is logged.
extension S3Storage {
    /// Aborts a multipart upload.
    func abort(_ upload: S3Upload.Multipart, hadPartsOnTheWay: Bool) async {
        let key = self.location.prefix + upload.name
        // If this fails, a sweep tries again.
        defer { self.ended(upload.id) }
        do {
            let wasThere = try await self.client.abortUpload(key, id: upload.id)
            // A part that was being received may still have been stored: aborting is complete only when the store
            // doesn't know the upload.
            if wasThere, hadPartsOnTheWay { try await self.client.abortUpload(key, id: upload.id) }
        } catch {
            self.report("aborted", key, error)
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
