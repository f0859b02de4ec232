import FormworkCore
import SystemPackage

extension BodyPlan {
    /// Reads the whole body into memory.
    /// - Parameter limit: The most bytes.
    /// - Throws: What ``BodyReader/collect(upTo:)`` throws.
    public func bytes(upTo limit: Int) throws(FormworkError) -> [UInt8] { try self.makeReader().collect(upTo: limit) }

    /// Writes the whole body to a descriptor; see ``BodyReader/write(to:)``. It blocks, and cancelling the task doesn't end
    /// it: a task that can be cancelled reads ``chunks(of:options:)``.
    @discardableResult
    public func write(
        to descriptor: FileDescriptor, options: ReaderOptions = ReaderOptions()
    ) throws(FormworkError) -> Int64 {
        try self.makeReader(options: options).write(to: descriptor)
    }

    /// Writes the whole body to a file that appears only when it is complete, and replaces an existing file; see
    /// ``BodyReader/write(toFile:durably:)``. It blocks, and cancelling the task doesn't end it.
    @discardableResult
    public func write(
        toFile path: some PathConvertible, durably: Bool = false, options: ReaderOptions = ReaderOptions()
    ) throws(FormworkError) -> Int64 {
        try self.makeReader(options: options).write(toFile: path, durably: durably)
    }
}
