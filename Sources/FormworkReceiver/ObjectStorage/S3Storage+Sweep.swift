#if Transfer
import FormworkCore
import Logging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension S3Storage {
    /// What a sweep did.
    package struct SweepReport: Hashable, Sendable {
        /// Uploads that were aborted, by key.
        package var aborted: [String] = []
        /// Uploads that were left, since something may still come.
        package var kept = 0
    }

    /// Aborts what receivers that were killed have left: uploads directly below the prefix that began, and got their
    /// last part, longer ago than `age` by the store's own clock.
    ///
    /// An upload that lives is left alone: one of this process always, one of another receiver since it has had a part
    /// meanwhile. Without a prefix nothing is swept, for the bucket may be others' too. A rule of the bucket
    /// (`AbortIncompleteMultipartUpload` of its lifecycle) does the same where no receiver is started again.
    /// Where the keys may not list uploads nothing is swept either, which is logged.
    /// - Throws: ``FormworkError/Code/writeFailed`` when the store can't be asked: also for wrong keys, or no such bucket.
    @discardableResult
    package func sweep(olderThan age: Duration = .seconds(86_400)) async throws -> SweepReport {
        do {
            var report = SweepReport()
            let prefix = self.location.prefix
            // Without a prefix, one page is asked for all the same: it tells whether the bucket can be reached.
            let (uploads, now) = try await self.client.openUploads(prefix: prefix, pages: prefix.isEmpty ? 1 : .max)
            let limit = now.addingTimeInterval(-Double(age.components.seconds))
            for upload in uploads {
                guard !prefix.isEmpty, upload.key.hasPrefix(prefix), !self.isUnderWay(upload.id),
                    !upload.key.dropFirst(prefix.count).contains("/"), upload.initiated < limit
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
                    "an upload that a receiver left is aborted",
                    metadata: [
                        "key": "\(upload.key.withControlCharactersEscaped)", "initiated": "\(upload.initiated)",
                    ])
            }
            return report
        } catch let error as S3Error where error.isUnlisted {
            self.logger.warning(
                "what killed receivers left in the object store can't be looked for",
                metadata: ["error": "\(error.description.withControlCharactersEscaped)"])
            return SweepReport()
        } catch let error as S3Error {
            throw FormworkError(.writeFailed, "can't be used: \(self.location)", cause: error)
        }
    }
}
#endif
