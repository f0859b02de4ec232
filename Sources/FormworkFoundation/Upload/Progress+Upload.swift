import Foundation

extension Progress {
    /// Follows an upload, byte by byte, as far as it was sent; finished when the upload is over.
    ///
    /// It is changed off the main thread, as Foundation allows. The upload lives on without it.
    public convenience init(following upload: UploadMonitor) {
        self.init(totalUnitCount: -1)
        let changes = upload.progress
        let follower = Weak(self)
        Task.detached {
            for await moment in changes {
                guard let progress = follower.progress else { return }
                if let total = moment.total, total != progress.totalUnitCount { progress.totalUnitCount = total }
                progress.completedUnitCount = moment.sent
            }
        }
    }

    /// SAFETY of `@unchecked Sendable`: Foundation's `Progress` may be changed by any thread.
    private final class Weak: @unchecked Sendable {
        weak var progress: Progress?
        init(_ progress: Progress) { self.progress = progress }
    }
}
