import Formwork
import FormworkHTTP
import FormworkHummingbirdCore
import FormworkResumable
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes
import Synchronization

extension RouterMethods {
    /// Accepts uploads that can be resumed, by the IETF's draft or tus 1.0, and ordinary ones by POST and PUT, and
    /// writes their files into a folder.
    ///
    /// ```swift
    /// router.resumableUploads("files", into: "inbox")
    /// ```
    ///
    /// Files are stored under the sender's names, made safe, see ``CompletedUpload/writeFiles(into:limits:durably:)``.
    /// Unfinished uploads are kept in the folder's `.uploads`. A complete upload is answered with 201.
    /// - Parameters:
    ///   - path: The target. Unfinished uploads have URLs directly below it.
    ///   - folder: The folder for complete files; created for the first one.
    ///   - options: Which uploads are accepted, and how long they are kept.
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

    /// Accepts uploads that can be resumed, by the IETF's draft or tus 1.0, and ordinary ones by POST and PUT, and
    /// passes each complete upload to a handler.
    ///
    /// ```swift
    /// var options = UploadStoreOptions()
    /// options.limits.maxSize = 10 << 30
    /// router.resumableUploads("albums", in: UploadStore("unfinished", options: options)) { upload, context in
    ///     let form = try await upload.form()
    ///     try await form.files(named: "photo").first?.write(into: "albums")
    ///     return "Thanks for \(form["title"] ?? "the album")"
    /// }
    /// ```
    ///
    /// In the draft, a client learns its upload's URL while it is sending, from a 104, if the server was made with
    /// `.http1ExpectContinue()`. Other servers send no 104. A client then has to start with an empty request, as
    /// Formwork's own client and tus do.
    ///
    /// The handler runs once per upload, in its own task, so that a broken connection doesn't cancel it. Its answer is
    /// kept for a client that didn't receive it. Its errors are answered as in any route; after 500 and above the
    /// upload is kept, and the client can complete it again.
    /// - Parameters:
    ///   - path: The target. Unfinished uploads have URLs directly below it.
    ///   - store: Keeps uploads until they are complete. Several routes may share it.
    ///   - complete: Handles a complete upload, and returns the target's answer. tus clients see only its status if it
    ///     is a success.
    @discardableResult
    public func resumableUploads(
        _ path: RouterPath = "", in store: UploadStore,
        complete: @escaping @Sendable (CompletedUpload, Context) async throws -> some ResponseGenerator
    ) -> Self {
        @Sendable func respond(_ request: Request, _ context: Context, _ target: String) async throws -> Response {
            let handler = ResumableHandler(target: target, in: store) { error in
                context.logger.answered(request, 500, error)
            } complete: { upload in
                do {
                    let answer = try await complete(upload, context)
                    return try await ResumableResponse(answer.response(from: request, context: context))
                } catch let error as any HTTPResponseError where error.status.code < 500 {
                    return try await ResumableResponse(error.response(from: request, context: context))
                }
            }
            let channel = ServerChannel.current
            let (answer, isCut) = await handler.answer(request.head, body: IncomingBody(request.body)) {
                channel?.inform($0)
            }
            if isCut { channel?.close(promise: nil) }
            return Response(answer)
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
    fileprivate init(_ answer: ResumableResponse) {
        let content = answer.content
        self.init(
            status: answer.response.status, headers: answer.response.headerFields,
            body: content.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: content)))
    }
}

extension ResumableResponse {
    /// A route's answer as a value. Its body is read into memory, to be kept for a client that didn't receive it.
    fileprivate init(_ response: Response) async throws {
        let bytes = CollectedBytes()
        try await response.body.write(Collector(bytes: bytes))
        var fields = response.headers
        // The length follows from the body.
        fields[.contentLength] = nil
        self.init(HTTPResponse(status: response.status, headerFields: fields), content: bytes.all)
    }
}

/// Collects a body's bytes in memory.
private struct Collector: ResponseBodyWriter {
    let bytes: CollectedBytes

    mutating func write(_ buffer: ByteBuffer) async throws { self.bytes.append(buffer) }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// Bytes that are appended from several places, one after another.
private final class CollectedBytes: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    var all: [UInt8] { self.bytes.withLock { $0 } }

    func append(_ buffer: ByteBuffer) { self.bytes.withLock { $0 += buffer.readableBytesView } }
}
