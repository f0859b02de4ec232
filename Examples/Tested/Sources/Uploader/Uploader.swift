// The code under test: a client for an album, as in an app.
import Foundation
import FormworkFoundation

public struct Uploader: Sendable {
    private let url: URL

    public init(_ url: URL) { self.url = url }

    public static func form(title: String, video: BodySource) -> FormData {
        FormData()
            .appending(name: "title", value: title)
            .appending(name: "video", source: video, filename: "harbour.mp4")
    }

    /// Sends a video, and retries twice if the server is overloaded; returns the answer's status.
    public func send(title: String, video: BodySource) async throws -> Int {
        let (_, response) = try await URLSession.shared.upload(
            Self.form(title: title, video: video).plan(), with: URLRequest(url: self.url),
            options: UploadOptions(retry: RetryPolicy(count: 2)))
        return response.statusCode
    }
}
