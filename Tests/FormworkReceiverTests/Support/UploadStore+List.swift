import Foundation

@testable import FormworkResumable

extension UploadStore {
    /// An upload in a list.
    struct Entry: Sendable, Hashable {
        var name: String
        var offset: Int64
        var expires: Date
        var isFinished: Bool
    }

    /// All uploads, the oldest first.
    func list() async -> [Entry] {
        var entries: [(created: Date, entry: Entry)] = []
        for name in await self.names() ?? [] {
            guard let record = (try? await self.record(name)) ?? nil else { continue }
            let size = record.answer == nil ? (try? await self.count(of: name)) ?? 0 : record.length ?? 0
            let entry = Entry(
                name: name, offset: record.uncheckedOffset ?? size, expires: record.expires,
                isFinished: record.answer != nil)
            entries.append((record.created, entry))
        }
        return entries.sorted { ($0.created, $0.entry.name) < ($1.created, $1.entry.name) }.map(\.entry)
    }
}
