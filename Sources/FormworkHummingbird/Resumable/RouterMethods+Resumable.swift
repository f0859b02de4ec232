#if Hummingbird
#if Resumable
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes
import Synchronization

extension RouterMethods {
    /// Takes uploads that go on where they were cut, by the IETF's draft and by tus 1.0, and ordinary ones by POST and
    /// PUT, and writes their files into a folder.
    ///
    /// ```
    /// router.resumableUploads("files", into: "inbox")
    /// ```
    ///
    /// Files get the names of the sender made safe, see ``CompletedUpload/writeFiles(into:limits:durably:)``. Uploads on
    /// their way are kept in the folder's `.uploads`. A whole upload is answered by 201.
    /// - Parameters:
    ///   - path: The target. Uploads on their way have URLs right below it.
    ///   - folder: Where whole files go; it is made for the first one.
    ///   - options: What is taken, and for how long.
    @discardableResult
    public func resumableUploads(
        _ path: RouterPath = "", into folder: some PathConvertible,
        options: UploadStoreOptions = UploadStoreOptions()
    ) -> Self {
        let folder = folder.filePath
        let store = UploadStore(folder.appending(".uploads"), options: options)
        return self.resumableUploads(path, in: store) { upload, _ in
            try await upload.writeFiles(into: folder)
            return HTTPResponse.Status.created
        }
    }

    /// Takes uploads that go on where they were cut, by the IETF's draft and by tus 1.0, and ordinary ones by POST and
    /// PUT, and gives each one to a handler once it is whole.
    ///
    /// ```
    /// router.resumableUploads("forms", in: UploadStore("unfinished")) { upload, context in
    ///     let form = try await upload.form()
    ///     return "Thanks for \(form["title"] ?? "it")"
    /// }
    /// ```
    ///
    /// By the draft a client learns of its upload's URL while it sends, by a 104, from a server that is made by
    /// `.http1ExpectContinue()`. Other servers send none: a client then has to begin with an empty request, which
    /// Formwork's own and tus do.
    ///
    /// The handler runs once for each upload, apart from the request that brought the last byte, so that a cut doesn't end
    /// it. Its answer is kept for a client that lost it. What it throws is answered as in any route; behind 500 and above
    /// the upload stays, and the client can end it again.
    /// - Parameters:
    ///   - path: The target. Uploads on their way have URLs right below it.
    ///   - store: Where uploads are kept until they are whole. Several routes may share it.
    ///   - complete: Handles a whole upload, and gives the target's answer. Clients of tus see its status alone where it
    ///     is a success.
    @discardableResult
    public func resumableUploads(
        _ path: RouterPath = "", in store: UploadStore,
        complete: @escaping @Sendable (CompletedUpload, Context) async throws -> some ResponseGenerator
    ) -> Self {
        @Sendable func respond(_ request: Request, _ context: Context, _ target: String) async throws -> Response {
            let handler = ResumableHandler(target: target, in: store) { error in
                context.logger.failed(request, 500, error)
            } complete: { upload in
                do {
                    let answer = try await complete(upload, context)
                    return try await UploadAnswer(answer.response(from: request, context: context))
                } catch let error as any HTTPResponseError where error.status.code < 500 {
                    return try await UploadAnswer(error.response(from: request, context: context))
                }
            }
            let channel = ServerChannel.current
            let outcome = await handler.handle(request.head, body: IncomingBody(request.body)) { response in
                // Nobody waits for a client that doesn't read.
                guard let channel, channel.isWritable else { return }
                channel.writeAndFlush(HTTPResponsePart.head(response), promise: nil)
            }
            switch outcome {
            case .notResumable:
                throw HTTPError(.methodNotAllowed, headers: [.allow: "POST, PUT, OPTIONS"])
            case .answer(let answer): return Response(answer)
            case .close:
                // It was cut, or the same upload goes on by another request: nobody waits for this.
                channel?.close(promise: nil)
                return Response(status: .conflict, headers: [.connection: "close"])
            }
        }
        for method in [HTTPRequest.Method.post, .put, .patch, .options] {
            self.on(path, method: method) { request, context in
                try await respond(request, context, request.head.path ?? "/")
            }
        }
        let upload = RouterPath("\(path)/:formworkUpload")
        for method in [HTTPRequest.Method.head, .patch, .delete, .options, .post] {
            self.on(upload, method: method) { request, context in
                let path = (request.head.path ?? "/").prefix { $0 != "?" }
                let slash = path.lastIndex(of: "/") ?? path.startIndex
                return try await respond(request, context, String(path[..<slash]))
            }
        }
        return self
    }
}

extension Response {
    fileprivate init(_ answer: UploadAnswer) {
        let content = answer.content
        self.init(
            status: answer.response.status, headers: answer.response.headerFields,
            body: content.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: content)))
    }
}

extension UploadAnswer {
    /// A route's answer as a value, whose body is read into memory: it is kept for a client that loses it.
    fileprivate init(_ response: Response) async throws {
        let bytes = CollectedBytes()
        try await response.body.write(Collector(bytes: bytes))
        var fields = response.headers
        // It is the body's to say.
        fields[.contentLength] = nil
        self.init(HTTPResponse(status: response.status, headerFields: fields), content: bytes.all)
    }
}

/// Takes a body's bytes into memory.
private struct Collector: ResponseBodyWriter {
    let bytes: CollectedBytes

    mutating func write(_ buffer: ByteBuffer) async throws { self.bytes.append(buffer) }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// Bytes that several hands add to, one after another.
private final class CollectedBytes: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    var all: [UInt8] { self.bytes.withLock { $0 } }

    func append(_ buffer: ByteBuffer) { self.bytes.withLock { $0 += buffer.readableBytesView } }
}
#endif
#endif
