import Foundation
import FormworkFoundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSession {
    /// Sends a request and its multipart body as ``MultipartRequest/options`` say, throttle included, and gives the answer:
    /// also one that isn't 2xx.
    ///
    /// All that ``upload(_:with:options:)`` promises holds here. A form without parts has no body: its request goes as it
    /// is.
    /// - Throws: What ``upload(_:with:options:)`` throws.
    public func upload(_ upload: MultipartRequest) async throws -> (Data, HTTPURLResponse) {
        guard let plan = upload.plan else { return try await self.send(upload.request, nil, upload.options) }
        return try await self.upload(plan, with: upload.request, options: upload.options)
    }
}
