#if Transfer
import FormworkCore
import Logging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension S3Storage {
    /// The result of a sweep.
    package struct SweepReport: Hashable, Sendable {
        /// The keys of the uploads that were aborted.
        package var aborted: [String] = []
        /// The number of uploads that were kept, since more parts may still come.
        package var kept = 0
    }

    /// Aborts uploads that killed receivers left: uploads below the prefix that began, and received their last
    /// part, longer ago than `age` by the store's own clock.
    ///
    /// An active upload is kept: always if it belongs to this process, and because of its recent parts if it belongs to
    /// another receiver. Without a prefix nothing is swept, since others may use the bucket too. A rule of the bucket
    /// (`AbortIncompleteMultipartUpload` in its lifecycle) does the same if no receiver is started again. If the keys
    /// may not list uploads, nothing is swept either, and this is logged.
    /// - Throws: ``FormworkError/Code/writeFailed`` if the store can't be queried, which includes wrong keys and a
    ///   missing bucket.
    @discardableResult
    package func sweep(olderThan age: Duration = .seconds(86_400)) async throws -> SweepReport {
        do {
            var report = SweepReport()
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
                else {
                    report.kept += 1
                    continue
                }
                if let last = try await self.client.lastPart(of: upload), last >= limit {
                    report.kept += 1
                    continue
                }
                try await self.client.abortUpload(upload.key, id: upload.id)
                report.aborted.append(upload.key)
                self.logger.notice(
                    "an upload left by a killed receiver was aborted",
                    metadata: [
                        "key": "\(upload.key.withControlCharactersEscaped)", "initiated": "\(upload.initiated)",
                    ])
            }
            return report
        } catch let error as S3Error where error.isUnlisted {
            self.logger.warning(
                "can't look for uploads that killed receivers left in the object store",
                metadata: ["error": "\(error.description.withControlCharactersEscaped)"])
            return SweepReport()
        } catch let error as S3Error {
            throw FormworkError(.writeFailed, "\(self.location) can't be used", cause: error)
        }
    }
}
#endif
