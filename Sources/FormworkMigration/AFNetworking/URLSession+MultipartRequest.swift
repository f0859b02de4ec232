import Foundation
import FormworkFoundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSession {
    /// Sends a request and its multipart body with ``MultipartRequest/options``, including the throttle, and returns
    /// the answer, including one that isn't 2xx.
    ///
    /// It behaves like `upload(_:with:options:)`. A form without parts has no body: its request is sent unchanged.
    /// - Throws: What `upload(_:with:options:)` throws.
    public func upload(_ upload: MultipartRequest) async throws -> (Data, HTTPURLResponse) {
        guard let plan = upload.plan else { return try await self.send(upload.request, nil, upload.options) }
        return try await self.upload(plan, with: upload.request, options: upload.options)
    }
}
