import Synchronization

/// Lets one reader at a time, and none after the answer, read the body of a request. The server reads what is left of the body
/// after the answer, and NIO stops the program if two tasks wait for the same connection.
package final class BodyGate: Sendable {
    /// Why a body can't be read.
    package enum Refusal: Error {
        /// Its iterator was made before.
        case wasRead
        /// Another task waits for it.
        case isBusy
        /// The request was answered.
        case isAnswered
    }

    private struct State {
        var wasRead = false
        var isBusy = false
        var isClosed = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    /// - Returns: Whether this is the first reader.
    func takeTurn() -> Bool {
        self.state.withLock { state in
            defer { state.wasRead = true }
            return !state.wasRead
        }
    }

    func enter() throws(Refusal) {
        let refusal = self.state.withLock { state -> Refusal? in
            if state.isClosed { return .isAnswered }
            if state.isBusy { return .isBusy }
            state.isBusy = true
            return nil
        }
        if let refusal { throw refusal }
    }

    /// - Throws: ``Refusal/isAnswered`` if that happened meanwhile. The server may use what was read.
    func leave() throws(Refusal) {
        let (waiter, isClosed) = self.state.withLock { state in
            state.isBusy = false
            defer { state.waiter = nil }
            return (state.waiter, state.isClosed)
        }
        waiter?.resume()
        if isClosed { throw .isAnswered }
    }

    /// Admits nobody any more.
    /// - Parameter waits: Whether to wait for the reader that is admitted.
    package func close(waits: Bool) async {
        await withCheckedContinuation { continuation in
            let isFree = self.state.withLock { state in
                state.isClosed = true
                guard waits, state.isBusy else { return true }
                state.waiter = continuation
                return false
            }
            if isFree { continuation.resume() }
        }
    }
}
