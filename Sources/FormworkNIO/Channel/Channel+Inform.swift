#if NIO
import HTTPTypes
import NIOCore
import NIOHTTPTypes

extension Channel {
    /// Sends a 1xx answer if there is room. Nothing waits for a client that doesn't read.
    package func inform(_ head: HTTPResponse) {
        if self.isWritable { self.writeAndFlush(HTTPResponsePart.head(head), promise: nil) }
    }
}
#endif
