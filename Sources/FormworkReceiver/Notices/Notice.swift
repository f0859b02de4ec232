#if Transfer
import FormworkHTTP

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A message as it is kept until a hook has it.
package struct Notice: Codable, Sendable {
    /// What makes a file of an upload recognizable in its storage.
    package struct Trace: Codable, Hashable, Sendable {
        /// The path that it gets, or one with a number.
        var path: String
        /// The mark of its object.
        var mark: String
    }

    var event: HookEvent
    /// The files of an upload that was being stored when this was written; `nil` if the outcome is known.
    var traces: [Trace]?
    /// The name of an unfinished upload that was being removed when this was written.
    var removing: String?

    init(_ event: HookEvent, traces: [Trace]? = nil, removing: String? = nil) {
        (self.event, self.traces, self.removing) = (event, traces, removing)
    }

    init?(_ bytes: [UInt8]) {
        guard let notice = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
        self = notice
    }

    var bytes: [UInt8] { JSONBytes.encode(self) }
}

/// The message that files were stored, for a storage to keep in the same step.
package struct StoredNotice: Sendable {
    /// Where it is kept.
    var box: any NoticeBox
    var name: String
    /// Makes the message from the final names of the files, and of the record if there is one.
    var event: @Sendable ([String]) -> HookEvent

    /// The message for these names.
    func bytes(_ names: [String]) -> [UInt8] { Notice(self.event(names)).bytes }

    /// What is kept while the files are being stored.
    func intent(_ traces: [Notice.Trace]) -> [UInt8] {
        Notice(self.event(traces.map(\.path)), traces: traces).bytes
    }
}
#endif
