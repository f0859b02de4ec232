import FormworkDigests
import NIOCore

extension S3Storage {
    func commit(_ uploads: [any StorageUpload], _ publication: Publication) async throws -> [String] {
        let uploads = uploads.compactMap { $0 as? S3Upload }
        guard let notice = publication.notice else { return try await self.finish(uploads, publication) }
        do { try await notice.box.put(notice.intent(uploads.map(\.trace)), notice.name) } catch {
            await Self.withdraw(uploads)
            throw error
        }
        let names: [String]
        do { names = try await self.finish(uploads, publication) } catch {
            // In a separate task: the request's task may be cancelled.
            await Task { try? await notice.box.remove(notice.name) }.value
            throw error
        }
        // The files are there. If this fails, the first message shows where.
        await Task { try? await notice.box.put(notice.bytes(names), notice.name) }.value
        return names
    }

    /// Finishes the uploads; those already visible are withdrawn if a later one fails.
    private func finish(_ uploads: [S3Upload], _ publication: Publication) async throws -> [String] {
        var uploads = uploads
        var names: [String] = []
        do {
            let early = try await self.finishAtOnce(uploads)
            for (index, upload) in uploads.enumerated() {
                let name: String
                if let early = early[index] { name = early } else { name = try await upload.finish() }
                names.append(name)
            }
            if let record = publication.record?(names) {
                var file = IncomingFile(
                    record.path, contentType: FormRecord.mediaType, length: Int64(record.bytes.count))
                file.upload = publication.upload
                let upload = try await self.begin(file, publication.memory)
                uploads.append(upload)
                var none: SHA256Digest?
                try await upload.write(ByteBuffer(bytes: record.bytes), digest: &none)
                names.append(try await upload.finish())
            }
            // A receiver that was overtaken while it made the last of them must not report them.
            for upload in uploads.reversed() where try await upload.isStillOwned() { break }
            return names
        } catch {
            await Self.withdraw(uploads)
            throw error
        }
    }

    /// Finishes uploads several at a time, if nothing depends on their order.
    /// - Returns: The names, by index.
    /// - Throws: An error after which no more were begun, once all have ended.
    private func finishAtOnce(_ uploads: [S3Upload]) async throws -> [Int: String] {
        guard uploads.count > 1 else { return [:] }
        // Of two files with one path the first gets it.
        var counts: [String: Int] = [:]
        for upload in uploads { counts[upload.trace.path, default: 0] += 1 }
        let results = await withTaskGroup(of: (Int, Result<String, any Error>).self) { group in
            var results: [Int: Result<String, any Error>] = [:]
            var begun = 0
            for (index, upload) in uploads.enumerated() where counts[upload.trace.path] == 1 {
                if begun >= 4 * self.options.parallelism, let (index, result) = await group.next() {
                    results[index] = result
                    if case .failure = result { break }
                }
                begun += 1
                group.addTask {
                    // The result is made before the pair: with optimization, Swift 6.3 returns another index from
                    // `(index, .success(try await upload.finish()))`.
                    let result: Result<String, any Error>
                    do { result = .success(try await upload.finish()) } catch { result = .failure(error) }
                    return (index, result)
                }
            }
            for await (index, result) in group { results[index] = result }
            return results
        }
        return try results.mapValues { try $0.get() }
    }

    /// Removes what was stored of a form that failed.
    private static func withdraw(_ uploads: [S3Upload]) async {
        // In a separate task: the request's task may be cancelled, but the store must still be told to remove the files.
        await Task { for upload in uploads.reversed() { await upload.withdraw() } }.value
    }
}
