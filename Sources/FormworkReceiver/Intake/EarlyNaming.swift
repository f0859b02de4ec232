#if Transfer
import FormworkCore

/// The names that the files of a form will get, while the form still arrives.
struct EarlyNaming: Sendable {
    /// Of the request that the current task receives; `nil` if its files aren't begun early.
    @TaskLocal static var current: EarlyNaming?

    private let naming: FileNaming
    /// Whether a hook decides on the terms of uploads.
    private let isAsked: Bool

    init(_ intake: UploadIntake) { self.init(intake, isAsked: intake.hooks != nil) }

    init(_ intake: UploadIntake, isAsked: Bool) { (self.naming, self.isAsked) = (intake.naming, isAsked) }

    /// A part of a form as it will be stored; `nil` if that isn't known yet.
    /// - Parameter note: The terms on which the upload was begun.
    func file(_ filename: String?, _ type: String?, _ note: [UInt8]?) -> IncomingFile? {
        guard let terms = try? UploadTerms(stored: note) else { return nil }
        // The hook is asked when the upload is complete.
        guard !self.isAsked || terms.asked != nil else { return nil }
        var naming = self.naming
        naming.terms = terms
        return (try? naming.file(named: filename, type)) ?? nil
    }
}
#endif
