#if NIO
    import Formwork
    import NIOCore
    import SystemPackage

    extension Channel {
        /// Writes a body to a channel that takes bytes, at the pace of whoever reads it, and gives how many.
        ///
        /// At most two buffers are in memory: one on its way, one that is read meanwhile. On an error the channel is closed:
        /// the peer must not take what it has for a whole body.
        /// - Parameters:
        ///   - plan: The body.
        ///   - usingFileRegions: Whether file content goes out by `sendfile`. It spares the processor where the network is the
        ///     brake, and costs time on loopback. A channel that encrypts or encodes needs `false`.
        ///   - options: What the reader does besides reading.
        /// - Throws: What ``AsyncBodyReader/next()`` throws; ``FormworkError/Code/writeFailed`` when the channel breaks.
        @discardableResult
        public func writeBody(
            _ plan: BodyPlan, usingFileRegions: Bool = false, options: ReaderOptions = ReaderOptions()
        ) async throws -> Int64 {
            try await self.writeBody(plan, usingFileRegions: usingFileRegions, options: options) { $0 }
        }

        /// The same for a channel whose pipeline takes something else than bytes, say `HTTPClientRequestPart.body`.
        /// - Parameter wrap: Makes of each piece what the pipeline takes.
        @discardableResult
        public func writeBody<Part: Sendable>(
            _ plan: BodyPlan, usingFileRegions: Bool = false, options: ReaderOptions = ReaderOptions(),
            as wrap: @Sendable (IOData) -> Part
        ) async throws -> Int64 {
            let reader = AsyncBodyReader(try plan.makeReader(options: options))
            do {
                let count = try await withTaskCancellationHandler {
                    try await self.write(reader, usingFileRegions, wrap)
                } onCancel: {
                    self.close(promise: nil)
                }
                await reader.close()
                return count
            } catch {
                self.close(promise: nil)
                let position = await reader.progress.position
                await reader.close()
                try Task.checkCancellation()
                if error is FormworkError { throw error }
                throw FormworkError(
                    .writeFailed, "the body can't be written to the channel", offset: position, cause: error)
            }
        }

        private func write<Part: Sendable>(
            _ reader: AsyncBodyReader, _ usingFileRegions: Bool, _ wrap: @Sendable (IOData) -> Part
        ) async throws -> Int64 {
            let ring = BufferRing(limit: 3, allocator: self.allocator)
            var total: Int64 = 0
            var onTheWay: EventLoopFuture<Void>?
            while true {
                let step = try await reader.step(leavingKernelRuns: usingFileRegions) {
                    size, fill throws(FormworkError) in
                    try ring.fill(upTo: size, fill)
                }
                try await onTheWay?.get()
                onTheWay = nil
                switch step {
                case .chunk(let buffer):
                    total += Int64(buffer.readableBytes)
                    onTheWay = self.writeAndFlush(wrap(.byteBuffer(buffer)))
                case .file(let run):
                    let count = Int(min(run.remaining, FileRegionWrite.size))
                    let region = try FileRegionWrite(run, count: count)
                    defer { region.close() }
                    let written: EventLoopFuture<Void> = self.writeAndFlush(wrap(.fileRegion(region.region)))
                    try await region.wait(for: written, on: self, reader)
                    try await reader.advance(by: count)
                    total += Int64(count)
                case .end: return total
                }
            }
        }
    }

    /// A stretch of a file on its way by `sendfile`, with a descriptor of its own.
    struct FileRegionWrite {
        /// Bytes of one region at most, so that progress is seen.
        static let size: Int64 = 8 << 20

        private let handle: NIOFileHandle
        let region: FileRegion

        init(_ run: KernelRun, count: Int) throws(FormworkError) {
            do {
                // The reader closes its own at the file's end, or when it is closed itself.
                let descriptor = try run.descriptor.duplicate()
                self.handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: descriptor.rawValue)
            } catch {
                throw FormworkError(.sourceUnavailable, "can't be handed to a channel", cause: error)
            }
            let start = Int(run.offset)
            self.region = FileRegion(fileHandle: self.handle, readerIndex: start, endIndex: start + count)
        }

        /// Waits for the write, and looks at the file now and then: behind the end of one that shrank, `sendfile` gives nothing,
        /// and NIO asks again for ever.
        func wait(for written: EventLoopFuture<Void>, on channel: any Channel, _ reader: AsyncBodyReader) async throws {
            let watch = Task {
                while true {
                    try await Task.sleep(for: .milliseconds(250))
                    do { try await reader.verify() } catch {
                        channel.close(promise: nil)
                        throw error
                    }
                }
            }
            let result: Result<Void, any Error>
            do { result = .success(try await written.get()) } catch { result = .failure(error) }
            watch.cancel()
            if case .failure(let error) = await watch.result, error is FormworkError { throw error }
            try result.get()
        }

        func close() { try? self.handle.close() }
    }
#endif
