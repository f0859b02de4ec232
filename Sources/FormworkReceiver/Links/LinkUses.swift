import FormworkEssentials
import FormworkResumable

/// Counts the uploads under links that accept a number of them, for all receivers of a destination.
///
/// Each upload takes one of its link's places: a small file in the destination, which only one receiver can make. One that
/// fails gives it back. The place of a receiver that is killed stays taken, unless the same resumable upload is completed later.
struct LinkUses: Sendable {
    static let folderName = ".formwork-links"
    /// The most uploads that a link can be limited to: each place may need a request.
    static let most: Int64 = 1_000

    let box: any RecordBox

    /// Takes a place.
    /// - Parameter upload: The name of the resumable upload that it is for; `nil` for another one.
    /// - Returns: The place; `nil` if the link has no such limit.
    /// - Throws: 403 if none is left, and the storage's errors.
    func take(_ terms: UploadTerms, for upload: String?) async throws -> String? {
        guard let (places, taken) = try await self.places(terms) else { return nil }
        let owner = Array((upload ?? "").utf8)
        for place in places {
            if taken.contains(place) {
                if upload != nil, try await self.box.get(place) == owner { return place }
            } else if try await self.box.add(owner, place) {
                return place
            }
        }
        throw Self.usedUp
    }

    /// Checks that a place is left.
    func check(_ terms: UploadTerms) async throws {
        guard let (places, taken) = try await self.places(terms) else { return }
        guard places.contains(where: { !taken.contains($0) }) else { throw Self.usedUp }
    }

    func giveBack(_ place: String) async {
        // In a separate task: the request's task may be cancelled.
        await Task { try? await self.box.remove(place) }.value
    }

    private static let usedUp = StorageRefusal(403, "This upload link has been used as often as it can be.")

    /// A link's places, and those that are taken, of any link. Those of links that have expired are removed.
    private func places(_ terms: UploadTerms) async throws -> (all: [String], taken: Set<String>)? {
        guard let id = terms.link, let uses = terms.uses else { return nil }
        let now = Int64(clamping: Date.now.timeIntervalSince1970)
        var taken: Set<String> = []
        for name in try await self.box.list().map(\.name) {
            let expires = name.split(separator: ".").first.flatMap { Int64($0) } ?? .max
            if expires > now { taken.insert(name) } else { try? await self.box.remove(name) }
        }
        return ((0..<uses.count).map { "\(uses.expires).\(id).\($0)" }, taken)
    }
}
