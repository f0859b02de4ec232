#if NIO
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

extension ChannelPipeline.SynchronousOperations {
    /// Adds the HTTP/1 codec with ``RequestDecodingHandler`` and ``ServerFramingHandler``, in place of NIO's
    /// `configureHTTPServerPipeline`.
    /// - Throws: NIO's error for a pipeline that is gone.
    package func addRequestFraming(
        limits: NIOHTTPDecoderLimitConfiguration = NIOHTTPDecoderLimitConfiguration()
    ) throws {
        let place = RequestPlace()
        // Each answer is framed once, by the handler that knows its request.
        var encoding = HTTPResponseEncoder.Configuration()
        encoding.automaticallySetFramingHeaders = false
        try self.addHandler(HTTPResponseEncoder(configuration: encoding))
        try self.addHandler(RequestDecodingHandler(place, limits: limits))
        try self.addHandler(ServerFramingHandler(place))
        try self.addHandler(HTTP1ToHTTPServerCodec(secure: false))
    }
}
#endif
