import FormworkSystem

extension AtomicFolder {
    /// Removes files that a killed process left, and undoes or completes the publication of its forms. Files of running
    /// processes are locked, and stay.
    /// - Returns: The number of removed files and settled forms.
    /// - Throws: `writeFailed` if the folder can't be read.
    @discardableResult
    package func removeLeftovers() throws(FormworkError) -> Int {
        let left = try self.settleForms()
        var count = left.count
        for name in left.names where name.hasPrefix(Self.hiddenPrefix) {
            guard let file = self.openLeft(name) else { continue }
            defer { try? SystemCalls.close(file) }
            SystemCalls.unlink(name, in: self.descriptor)
            count += 1
        }
        return count
    }

    /// Undoes or completes the publication of each form that a killed process left.
    /// - Returns: How many there were, and the folder's other names.
    /// - Throws: `writeFailed` if the folder can't be read.
    package func settleForms() throws(FormworkError) -> (count: Int, names: [String]) {
        let names = try FormworkError.writing(self.path) { () throws(Errno) in
            try SystemCalls.names(in: self.descriptor)
        }
        return (names.count { FormJournal.isJournal($0) && self.settleLeftForm($0) }, names)
    }

    /// Undoes or completes the publication of a form that a killed process left.
    /// - Parameter form: Its name, with which it was published.
    package func settleForm(_ form: String) { _ = self.settleLeftForm(FormJournal.prefix + form) }

    /// The bytes of a file, or `nil` if there is none of this name: no link is followed, and nobody else's file read.
    /// - Throws: `sourceUnavailable`.
    package func bytes(ofOwn name: String) throws(FormworkError) -> [UInt8]? {
        do throws(Errno) {
            let file = try SystemCalls.openFile(name, in: self.descriptor)
            defer { try? SystemCalls.close(file) }
            guard self.isOwn(try SystemCalls.status(of: file)) else { return nil }
            return try SystemCalls.bytes(of: file)
        } catch .noSuchFileOrDirectory {
            return nil
        } catch {
            throw FormworkError(
                .sourceUnavailable, "can't be read", path: self.path.appending(name).string, cause: error)
        }
    }

    package func removeFile(_ name: String) { SystemCalls.unlink(name, in: self.descriptor) }

    /// Whether a file is a regular one that a process like this one has made. Some file systems, and NFS, give files other
    /// owners, so it is compared with a new one.
    private func isOwn(_ status: FileStatus) -> Bool {
        guard status.kind == .regular, let sample = try? self.makeFile() else { return false }
        defer { sample.close() }
        return (try? SystemCalls.status(of: sample.descriptor))?.user == status.user
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
        guard let status = try? SystemCalls.status(of: file), status.links > 0, self.isOwn(status),
            let journal = try? FormJournal(named: name, from: file)
        else { return false }
        return self.exclusively {
            guard journal.settle(in: self) else { return false }
            SystemCalls.unlink(name, in: self.descriptor)
            return true
        }
    }
}

extension AtomicFolder {
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

extension SystemCalls {
    /// The bytes from a descriptor's position to its end.
    /// - Parameter limit: Nothing more is read when there are this many.
    static func bytes(of file: FileDescriptor, upTo limit: Int = .max) throws(Errno) -> [UInt8] {
        var (bytes, before): ([UInt8], Int) = ([], -1)
        while bytes.count > before, bytes.count < limit {
            before = bytes.count
            try bytes.append(upTo: 64 << 10) { room throws(Errno) in try self.read(file, into: &room) }
        }
        return bytes
    }
}
