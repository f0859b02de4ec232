import FormworkResumable
import Synchronization

// Unfinished uploads that are removed.
extension Hooks {
    /// Reports unfinished uploads that a store removes: those that expire or are cancelled, among others.
    func watch(_ store: UploadStore) {
        self.unfinished.withLock { $0 = store }
        store.onRemoval { [weak self] removal, remove in
            guard let self else { return try await remove() }
            // In a separate task: a cancelled one can't write messages, and the client may have gone.
            try await Task { try await self.reporting(removal, remove) }.value
        }
    }

    /// Removes an upload and reports that.
    ///
    /// The message is kept first. A receiver that finds it after another was killed looks whether the upload is still there.
    private func reporting(_ removal: UploadRemoval, _ remove: @escaping RemovingUpload) async throws {
        guard let terms = try? UploadTerms(stored: removal.note), var upload = terms.asked else {
            return try await remove()
        }
        let account = removal.reason.account
        (upload.status, upload.detail) = (account.status, account.detail)
        let event = HookEvent(.failed, upload)
        self.storing(event.id, true)
        defer { self.storing(event.id, false) }
        do { try await self.keep(Notice(event, removing: removal.name)) } catch {
            // The upload may have all the room that there is.
            try await remove()
            return await self.failed(terms, status: account.status, account.detail)
        }
        // After an error the message stays: it may be another receiver's, which is removing the same upload.
        try await remove()
        await self.keepAndSend(Notice(event))
    }

    /// Finds out whether a killed receiver had removed an upload, and sends the message then.
    func settle(_ event: HookEvent, removing upload: String, _ name: String) async throws {
        guard let store = self.unfinished.withLock({ $0 }) else { return }
        guard try await store.exists(upload) else {
            try await self.keep(Notice(event))
            return self.send(event.id)
        }
        try await self.box.remove(name)
    }
}

extension UploadRemoval.Reason {
    /// What happened to the upload: a word for the log, and a status and a sentence for a hook.
    var account: (word: String, status: Int, detail: String) {
        switch self {
        case .expired: ("expired", 410, "The upload expired before it was complete.")
        case .displaced:
            ("displaced", 507, "The upload had received nothing for a long time, and others needed its space.")
        case .refused(let status):
            ("refused", status, "The upload was refused: its content isn't what was announced.")
        case .cancelled: ("cancelled", 499, "The client cancelled the upload.")
        }
    }
}
