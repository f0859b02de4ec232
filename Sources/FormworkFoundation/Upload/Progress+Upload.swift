import Foundation

extension Progress {
    /// Follows the bytes sent of an upload.
    ///
    /// It is changed on other threads than the main thread, which Foundation allows. The upload doesn't depend on it.
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

    /// SAFETY of `@unchecked Sendable`: any thread may change Foundation's `Progress`.
    private final class Weak: @unchecked Sendable {
        weak var progress: Progress?
        init(_ progress: Progress) { self.progress = progress }
    }
}
