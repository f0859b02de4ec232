#if Hummingbird
import FormworkNIO

func receivingPiecesAlone(_ connection: ServerConnection) async throws {
    let store = UploadStore("unfinished")
    try await connection.serve { request in
        let answer = try await request.resumableUpload(at: "/files", in: store) { upload in
            try await upload.writeFiles(into: "inbox")
            return ServerResponse(status: .created)
        }
        return answer ?? ServerResponse(status: .notFound)
    }
}
#endif
