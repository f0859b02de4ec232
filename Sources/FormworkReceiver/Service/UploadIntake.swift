#if Transfer
import Formwork
import FormworkDigests
import FormworkNIO
import FormworkClient
import NIOCore

/// Takes a whole body apart and stores its files: all of them, or none.
package struct UploadIntake: Sendable {
    private let storage: any ReceiverStorage
    private let limits: ReceivingLimits
    private let isDigesting: Bool
    private let arrivals: Arrivals
    private let fieldMemory: FieldMemory

    package init(
        storage: any ReceiverStorage, limits: ReceivingLimits, isDigesting: Bool = true,
        arrivals: Arrivals = Arrivals(), fieldMemory: FieldMemory? = nil
    ) {
        (self.storage, self.limits, self.isDigesting, self.arrivals) = (storage, limits, isDigesting, arrivals)
        self.fieldMemory = fieldMemory ?? FieldMemory(limits)
    }

    /// Stores what a body holds. The body may come from a connection, or from a file (``BodyPlan/buffers(of:allocator:options:)``).
    /// - Throws: ``FormworkError`` for what is wrong with the body, what the storage throws, and what the body throws;
    ///   nothing is left then. ``ProblemDetails`` where the forms under way have too many bytes in fields.
    package func take<Body: AsyncSequence & Sendable>(
        _ upload: IncomingUpload, _ body: Body
    ) async throws -> UploadReceipt where Body.Element == ByteBuffer {
        var pending = PendingFiles(self.storage, self.arrivals)
        do {
            var receipt = UploadReceipt()
            switch upload.content {
            case .parts(let type, let isForm):
                let share = FieldMemory.Share(of: self.fieldMemory)
                receipt.fields = try await self.takeParts(body, type, isForm, share, &pending)
                receipt.memory = UploadReceipt.Memory(share: share)
            case .file(let name, let type):
                let file = IncomingFile(name: name, contentType: type, length: upload.length)
                try await self.store(body, file, field: nil, &pending)
                if let length = upload.length, pending.lastSize != length {
                    throw FormworkError(
                        .truncatedBody, "The body has \(pending.lastSize) bytes: \(length) were announced.")
                }
            }
            receipt.files = try await pending.finish()
            return receipt
        } catch {
            await pending.abandon()
            throw error
        }
    }

    private func takeParts<Body: AsyncSequence & Sendable>(
        _ body: Body, _ contentType: String, _ isForm: Bool, _ share: FieldMemory.Share,
        _ pending: inout PendingFiles
    ) async throws -> [UploadReceipt.Field] where Body.Element == ByteBuffer {
        let parts = try ReceivedParts(
            body, contentType: contentType, profile: isForm ? .default : .generic, limits: self.limits.parsing)
        var fields: [ArrivedField] = []
        for try await part in parts {
            if let name = part.name { try share.take(Int64(name.utf8.count) + name.escapingCost) }
            if part.isFile || !isForm {
                let name = part.filename.flatMap { SafeFilename($0, limit: IncomingUpload.nameBytes) }
                let file = IncomingFile(
                    name: name ?? IncomingUpload.madeUpName(part.contentType), contentType: part.contentType)
                if part.filename == "" {
                    // What a browser sends for a file field where nothing was chosen.
                    let content = part.content.makeAsyncIterator()
                    guard let first = try await content.next() else { continue }
                    try await self.store(part.content, file, field: part.name, startingWith: first, &pending)
                } else {
                    try await self.store(part.content, file, field: part.name, &pending)
                }
                guard pending.count <= self.limits.files else { throw Self.tooMany(self.limits.files) }
            } else {
                var bytes: [UInt8] = []
                let content = part.content.makeAsyncIterator()
                // The parser sees to how many there may be.
                while let buffer = try await content.next() {
                    try share.take(Int64(buffer.readableBytes))
                    bytes += buffer.readableBytesView
                }
                fields.append(ArrivedField(index: part.index, header: part.header, bytes: bytes))
            }
        }
        return try self.texts(of: fields, share)
    }

    /// A field as it came.
    private struct ArrivedField {
        var index: Int
        var header: ReceivedHeader
        var bytes: [UInt8]
    }

    /// The fields as text, in the charset that each declares, or the form by a field `_charset_` (RFC 7578 §4.6).
    private func texts(
        of fields: [ArrivedField], _ share: FieldMemory.Share
    ) throws -> [UploadReceipt.Field] {
        let declared = fields.first { $0.header.name == "_charset_" }
            .flatMap { String(decoding: $0.bytes, as: UTF8.self).trimmedLabel }
        var count: Int64 = 0
        return try fields.map { field in
            let charset = field.header.contentType == nil ? declared : field.header.charset ?? declared
            let name = field.header.name ?? ""
            let value: String
            if let charset {
                do throws(FormworkError) { value = try TextDecoding.standard.text(field.bytes, charset) } catch {
                    throw error.naming(PartReference(index: field.index, name: name))
                }
            } else {
                // What is no UTF-8 is repaired, as WHATWG has it.
                value = String(decoding: field.bytes, as: UTF8.self)
            }
            // It may be longer than what came.
            try share.take(Int64(value.utf8.count - field.bytes.count) + value.escapingCost)
            count += Int64(value.utf8.count)
            guard count <= self.limits.allFieldBytes else {
                throw ParsingFailure(.memoryBytesLimit, limit: self.limits.allFieldBytes).error(
                    "The form's fields have more than \(self.limits.allFieldBytes) bytes together.", at: nil)
            }
            return UploadReceipt.Field(name: name, value: value)
        }
    }

    private static func tooMany(_ limit: Int) -> FormworkError {
        ParsingFailure(.filesLimit, limit: Int64(limit)).error("The body has more than \(limit) files.", at: nil)
    }

    private func store<Content: AsyncSequence>(
        _ content: Content, _ file: IncomingFile, field: String?, startingWith first: ByteBuffer? = nil,
        _ pending: inout PendingFiles
    ) async throws where Content.Element == ByteBuffer {
        let upload = try await pending.begin(file, field: field)
        var digest = self.isDigesting ? SHA256Digest() : nil
        var size: Int64 = 0
        var next = first
        var iterator = content.makeAsyncIterator()
        while true {
            if next == nil { next = try await iterator.next(isolation: #isolation) }
            guard let buffer = next else { break }
            next = nil
            size += Int64(buffer.readableBytes)
            let limit = min(self.limits.fileBytes, self.limits.bodyBytes)
            guard size <= limit else {
                throw ParsingFailure(.fileBytesLimit, limit: limit).error(
                    "The file has more than \(limit) bytes.", at: nil)
            }
            digest?.update(buffer.readableBytesSpan)
            try await StorageProblem.marking { try await upload.write(buffer) }
        }
        pending.ended(
            size: size, sha256: digest.map { DigestValue(algorithm: "sha-256", bytes: $0.finalized()).hex })
    }
}
#endif
