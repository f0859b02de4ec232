#if NIO
#if Resumable
import Formwork
import FormworkHTTP
import FormworkResumable
import HTTPTypes
import NIOCore
import NIOHTTPTypes

extension ServerRequest {
    /// Accepts an upload that can be resumed, by the IETF's draft or tus 1.0, or an ordinary one by POST or PUT, and
    /// writes its files into a folder.
    ///
    /// Files are stored under the sender's names, made safe, see ``CompletedUpload/writeFiles(into:limits:durably:)``.
    /// A complete upload is answered with 201.
    /// - Parameters:
    ///   - target: The path of the target. Unfinished uploads have URLs directly below it.
    ///   - folder: The folder for complete files; created for the first one.
    ///   - store: Keeps uploads until they are complete.
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

    /// Accepts an upload that can be resumed, by the IETF's draft or tus 1.0, or an ordinary one by POST or PUT, and
    /// passes the complete upload to a handler.
    ///
    /// ```swift
    /// let store = UploadStore("unfinished")
    /// try await connection.serve { request in
    ///     let answer = try await request.resumableUpload(at: "/files", in: store) { upload in
    ///         try await upload.writeFiles(into: "inbox")
    ///         return ServerResponse(status: .created)
    ///     }
    ///     return answer ?? ServerResponse(status: .notFound)
    /// }
    /// ```
    ///
    /// The handler runs once per upload, in its own task, so that a broken connection doesn't cancel it. Its answer is
    /// kept for a client that didn't receive it. A ``FormworkError`` or ``RequestProblem`` that it throws because of
    /// the client ends the upload; after any other error the answer is 500, and the client can complete the upload
    /// again.
    /// - Parameters:
    ///   - target: The path of the target. Unfinished uploads have URLs directly below it.
    ///   - store: Keeps uploads until they are complete. One for all connections.
    ///   - report: Called with each failure that is the server's fault.
    ///   - complete: Handles a complete upload, and returns the target's answer. tus clients see only its status if it
    ///     is a success.
    /// - Returns: The answer; `nil` for a request to another path.
    public func resumableUpload(
        at target: String, in store: UploadStore, report: @escaping @Sendable (any Error) -> Void = { _ in },
        complete: @escaping @Sendable (CompletedUpload) async throws -> ServerResponse
    ) async throws -> ServerResponse? {
        let handler = ResumableHandler(target: target, in: store, report: report) { upload in
            let answer = try await complete(upload)
            var head = answer.head
            // The length follows from the body.
            head.headerFields[.contentLength] = nil
            return UploadAnswer(head, content: try await answer.collect())
        }
        guard handler.isResponsible(for: self.head) else { return nil }
        let channel = self.body.base.channel
        let (answer, isCut) = await handler.answer(self.head, body: self.body) { channel.inform($0) }
        if isCut { channel.close(promise: nil) }
        var response = ServerResponse(
            status: answer.response.status, headerFields: answer.response.headerFields,
            body: ByteBuffer(bytes: answer.content))
        // The rest of the body is not read.
        if answer.response.status.kind != .successful, self.head.headerFields[.contentLength] ?? "0" != "0" {
            response.head.headerFields[.connection] = "close"
        }
        return response
    }
}
#endif
#endif
