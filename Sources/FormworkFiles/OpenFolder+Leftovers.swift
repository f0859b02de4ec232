import Formwork
import FormworkSystem

extension OpenFolder {
    /// Removes files that a killed process left, and undoes or completes the publication of its forms. Files of running
    /// processes are locked, and stay.
    /// - Returns: The number of removed files and settled forms.
    /// - Throws: `writeFailed` if the folder can't be read.
    @discardableResult
    package func removeLeftovers() throws(FormworkError) -> Int {
        let names = try FormworkError.writing(self.path) { () throws(Errno) in
            try SystemCalls.names(in: self.descriptor)
        }
        var count = 0
        for name in names where FormJournal.isJournal(name) && self.settleLeftForm(name) { count += 1 }
        for name in names where name.hasPrefix(Self.hiddenPrefix) {
            guard let file = self.openLeft(name) else { continue }
            defer { try? SystemCalls.close(file) }
            SystemCalls.unlink(name, in: self.descriptor)
            count += 1
        }
        return count
    }

    /// Opens a file that no running process has locked.
    private func openLeft(_ name: String) -> FileDescriptor? {
        guard let file = try? SystemCalls.openFile(name, in: self.descriptor) else { return nil }
        if let status = try? SystemCalls.status(of: file), status.kind == .regular, SystemCalls.lock(file) {
            return file
        }
        try? SystemCalls.close(file)
        return nil
    }

    private func settleLeftForm(_ name: String) -> Bool {
        guard let file = self.openLeft(name) else { return false }
        defer { try? SystemCalls.close(file) }
        // Another process may have settled it after the names were read.
        guard let status = try? SystemCalls.status(of: file), status.links > 0,
            let journal = try? FormJournal(named: name, from: file)
        else { return false }
        return self.exclusively {
            guard journal.settle(in: self) else { return false }
            SystemCalls.unlink(name, in: self.descriptor)
            return true
        }
    }
}

extension OpenFolder {
    /// Checks that the folder is still at its path: another may have been mounted over it.
    /// - Throws: `writeFailed`.
    package func checkPlace() throws(FormworkError) {
        let own = try? SystemCalls.status(of: self.descriptor).validator
        guard own?.isSameFile(as: try? SystemCalls.status(of: self.path).validator) == true else {
            throw FormworkError(
                .writeFailed, "was moved, removed or replaced: move it back, or restart the receiver",
                path: self.path.string)
        }
    }
}
