import Synchronization
import FormworkEssentials

/// A file that has arrived in this run, or is arriving.
struct Arrival: Sendable, Hashable, Encodable {
    enum State: String, Sendable, Encodable { case receiving, complete, failed }

    /// Starts at 1 in each run.
    var id: Int
    var name: String
    /// Bytes; 0 until the file is complete.
    var size: Int64
    var type: String?
    var sha256: String?
    /// The time when it began, later when it ended: RFC 3339, in UTC.
    var time: String
    var state: State
    /// The sender: a login, or an address. Never shown to clients.
    var owner: String?

    private enum CodingKeys: CodingKey { case id, name, size, type, sha256, time, state }
}

/// The files that have arrived in this run: the newest thousand.
final class Arrivals: Sendable {
    private struct Contents {
        var last = 0
        var revision = 0
        var list: [Arrival] = []
    }

    private let limit: Int
    private let contents = Mutex(Contents())

    init(limit: Int = 1_000) { self.limit = limit }

    /// The newest last.
    var all: [Arrival] { self.contents.withLock { $0.list } }

    /// Increases with each change.
    var revision: Int { self.contents.withLock { $0.revision } }

    /// The number of the arrival that began last; 0 if there is none.
    var last: Int { self.contents.withLock { $0.last } }

    /// - Parameter owner: The sender.
    func began(_ file: UploadReceipt.File, of owner: String?) -> Int {
        self.contents.withLock { contents in
            contents.last += 1
            contents.revision += 1
            if contents.list.count >= self.limit { contents.list.removeFirst(contents.list.count - self.limit + 1) }
            contents.list.append(
                Arrival(
                    id: contents.last, name: file.name, size: 0, type: file.type, time: Self.now, state: .receiving,
                    owner: owner))
            return contents.last
        }
    }

    func arrived(_ id: Int, _ file: UploadReceipt.File) {
        self.change(id) { arrival in
            (arrival.name, arrival.size, arrival.sha256) = (file.name, file.size, file.sha256)
            arrival.state = .complete
        }
    }

    func failed(_ id: Int) { self.change(id) { $0.state = .failed } }

    private func change(_ id: Int, _ change: (inout Arrival) -> Void) {
        self.contents.withLock { contents in
            // The list is in the order of the numbers, without gaps.
            guard let first = contents.list.first?.id, contents.list.indices.contains(id - first) else { return }
            contents.revision += 1
            change(&contents.list[id - first])
            contents.list[id - first].time = Self.now
        }
    }

    private static var now: String { Date.now.formatted(.iso8601) }
}
