#if NIO
    import Formwork
    import HTTPTypes

    /// Decides which request is next, and does nothing itself: the plain way is ``PlainSend``, and a protocol for resuming
    /// is another.
    package protocol SendMachine: Sendable {
        /// What to do now.
        mutating func next() -> SendStep
        /// Takes note of an informational answer, while the exchange goes on.
        mutating func informed(by response: HTTPResponse)
        /// Takes note of an exchange's final answer.
        /// - Parameter remaining: Time left for all; `nil` without a bound.
        /// - Returns: Whether this is the transfer's answer: then ``next()`` is not called again.
        mutating func answered(_ answer: SendAnswer, remaining: Duration?) -> Bool
        /// Takes note of an exchange that failed. ``next()`` tells what comes of it.
        mutating func failed(_ error: any Error, remaining: Duration?)
    }

    /// One step of a transfer.
    package enum SendStep: Sendable {
        /// Make this exchange.
        /// - Parameter expectsContinue: Whether the server is asked first; `nil` leaves it to the client's options.
        case exchange(HTTPRequest, ExchangeBody?, expectsContinue: Bool?)
        /// Wait, and ask again.
        case pause(Duration, reason: String)
        /// Give up.
        case failed(any Error)
    }

    /// What a machine learns of an answer.
    package struct SendAnswer: Sendable {
        package var head: HTTPResponse
        /// Bytes of this request's body that the system had taken.
        package var bytesSent: Int64
        /// Whether that was all of it.
        package var isBodyComplete: Bool

        package init(head: HTTPResponse, bytesSent: Int64, isBodyComplete: Bool) {
            (self.head, self.bytesSent, self.isBodyComplete) = (head, bytesSent, isBodyComplete)
        }
    }
#endif
