import Foundation

extension Progress {
    /// Follows how many bytes of an upload have been sent.
    ///
    /// It is finished when the server has the whole body, and never if the upload fails. It is changed on other threads than
    /// the main thread, which Foundation allows. The upload doesn't depend on it.
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
            // Of a body of unknown length, the number of bytes is the total once the server has them.
            let last = upload.current
            guard let progress = follower.progress, last.total == nil, last.acknowledged == last.sent, last.sent > 0
            else { return }
            progress.totalUnitCount = last.sent
        }
    }

    /// SAFETY of `@unchecked Sendable`: any thread may change Foundation's `Progress`.
    private final class Weak: @unchecked Sendable {
        weak var progress: Progress?
        init(_ progress: Progress) { self.progress = progress }
    }
}
