#if NIO
#if Resumable
import Formwork
import FormworkHTTP
import FormworkResumable
import HTTPTypes
import NIOCore
import NIOHTTPTypes

extension ServerRequest {
    /// Takes an upload that goes on where it was cut, by the IETF's draft or by tus 1.0, or an ordinary one by POST or PUT,
    /// and writes its files into a folder.
    ///
    /// Files get the names of the sender made safe, see ``CompletedUpload/writeFiles(into:limits:durably:)``. A whole upload
    /// is answered by 201.
    /// - Parameters:
    ///   - target: The path of the target. Uploads on their way have URLs right below it.
    ///   - folder: Where whole files go; it is made for the first one.
    ///   - store: Where uploads are kept until they are whole.
    /// - Returns: The answer; `nil` for a request to another path.
    public func resumableUpload(
        at target: String, into folder: some PathConvertible, in store: UploadStore
    ) async throws -> ServerResponse? {
        let folder = folder.filePath
        return try await self.resumableUpload(at: target, in: store) { upload in
            try await upload.writeFiles(into: folder)
            return ServerResponse(status: .created)
        }
    }

    /// Takes an upload that goes on where it was cut, by the IETF's draft or by tus 1.0, or an ordinary one by POST or PUT,
    /// and gives it to a handler once it is whole.
    ///
    /// ```
    /// try await connection.serve { request in
    ///     let answer = try await request.resumableUpload(at: "/files", in: store) { upload in
    ///         print(try await upload.form()["title"] ?? "untitled")
    ///         return ServerResponse(status: .created)
    ///     }
    ///     return answer ?? ServerResponse(status: .notFound)
    /// }
    /// ```
    ///
    /// The handler runs once for each upload, apart from the request that brought the last byte, so that a cut doesn't end
    /// it. Its answer is kept for a client that lost it. A ``FormworkError`` or ``RequestProblem`` that it throws and that
    /// is the client's fault ends the upload; behind any other error the answer is 500, and the client can end the upload
    /// again.
    /// - Parameters:
    ///   - target: The path of the target. Uploads on their way have URLs right below it.
    ///   - store: Where uploads are kept until they are whole. One for all connections.
    ///   - report: Is told of each failure that is the server's.
    ///   - complete: Handles a whole upload, and gives the target's answer. Clients of tus see its status alone where it
    ///     is a success.
    /// - Returns: The answer; `nil` for a request to another path.
    public func resumableUpload(
        at target: String, in store: UploadStore, report: @escaping @Sendable (any Error) -> Void = { _ in },
        complete: @escaping @Sendable (CompletedUpload) async throws -> ServerResponse
    ) async throws -> ServerResponse? {
        let handler = ResumableHandler(target: target, in: store, report: report) { upload in
            let answer = try await complete(upload)
            var head = answer.head
            // It is the body's to say.
            head.headerFields[.contentLength] = nil
            return UploadAnswer(head, content: try await answer.collect())
        }
        guard handler.isResponsible(for: self.head) else { return nil }
        let channel = self.body.base.channel
        let outcome = await handler.handle(self.head, body: self.body) { response in
            // Nobody waits for a client that doesn't read.
            if channel.isWritable { channel.writeAndFlush(HTTPResponsePart.head(response), promise: nil) }
        }
        switch outcome {
        case .notResumable:
            return ServerResponse(status: .methodNotAllowed, headerFields: [.allow: "POST, PUT, OPTIONS"])
        case .answer(let answer):
            var response = ServerResponse(
                status: answer.response.status, headerFields: answer.response.headerFields,
                body: ByteBuffer(bytes: answer.content))
            // What is left of the body is left to its sender.
            if answer.response.status.kind != .successful, self.head.headerFields[.contentLength] ?? "0" != "0" {
                response.head.headerFields[.connection] = "close"
            }
            return response
        case .close:
            // It was cut, or the same upload goes on by another request: nobody waits for this.
            return ServerResponse(status: .conflict, headerFields: [.connection: "close"])
        }
    }
}
#endif
#endif
