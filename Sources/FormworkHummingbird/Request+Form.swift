#if Hummingbird
    import Formwork
    import FormworkHTTP
    import FormworkNIO
    import HTTPTypes
    import Hummingbird

    /// The parts of a request's form as they arrive.
    public typealias FormParts = ReceivedParts<IncomingBody<RequestBody>>
    /// A part of a request's form, which is arriving.
    public typealias FormPart = ReceivedPart<IncomingBody<RequestBody>>

    extension Request {
        /// The parts of a multipart form as they arrive, at the pace of whoever reads them.
        ///
        /// ```
        /// router.post("photos") { request, _ in
        ///     for try await part in try request.formParts() where part.isFile {
        ///         try await part.write(toFile: folder.appending(part.header.safeFilename ?? "photo"))
        ///     }
        ///     return HTTPResponse.Status.created
        /// }
        /// ```
        ///
        /// Its errors are answered by 400, 408, 413 or 415, see ``ProblemDetails/init(_:)-(FormworkError)``.
        /// - Parameters:
        ///   - profile: What is taken for a part.
        ///   - limits: How much is read. A `Content-Length` above ``ParsingLimits/totalBytes`` is refused before anything is.
        ///   - deadlines: How long is waited. None is set unless said otherwise.
        /// - Throws: What ``ReceivedParts`` throws, and ``FormworkError/Code/limitExceeded``.
        public func formParts(
            profile: ParsingProfile = .default, limits: ParsingLimits = .default,
            deadlines: ReceivingDeadlines = ReceivingDeadlines()
        ) throws(FormworkError) -> FormParts {
            try self.incomingForm.parts(profile: profile, limits: limits, deadlines: deadlines)
        }

        /// The whole form: multipart, whose large files go to disk, or url-encoded.
        /// - Parameters:
        ///   - profile: What is taken for a part.
        ///   - limits: How much is read.
        ///   - memory: How much of it stays in memory, and where the rest goes.
        ///   - deadlines: How long is waited.
        /// - Throws: What ``ReceivedForm/init(collecting:limits:)`` throws, and ``FormworkError/Code/limitExceeded``.
        public func collectForm(
            profile: ParsingProfile = .default, limits: ParsingLimits = .default,
            memory: CollectingLimits = CollectingLimits(), deadlines: ReceivingDeadlines = ReceivingDeadlines()
        ) async throws -> ReceivedForm {
            try await self.incomingForm.collect(profile: profile, limits: limits, memory: memory, deadlines: deadlines)
        }

        /// The whole form, multipart or url-encoded, as a value; a file is a ``FormFile``.
        /// - Parameters:
        ///   - type: What is decoded.
        ///   - decoder: How names become members.
        ///   - profile: What is taken for a part.
        ///   - limits: How much is read.
        ///   - memory: How much of it stays in memory, and where the rest goes.
        ///   - deadlines: How long is waited.
        /// - Throws: ``RequestProblem`` for a form that isn't the type's, which is answered by 400, and what
        ///   ``collectForm(profile:limits:memory:deadlines:)`` throws.
        public func decodeForm<Value: Decodable>(
            as type: Value.Type, by decoder: FormDataDecoder = FormDataDecoder(), profile: ParsingProfile = .default,
            limits: ParsingLimits = .default, memory: CollectingLimits = CollectingLimits(),
            deadlines: ReceivingDeadlines = ReceivingDeadlines()
        ) async throws -> Value {
            try await self.incomingForm.decode(
                type, by: decoder, profile: profile, limits: limits, memory: memory, deadlines: deadlines)
        }

        private var incomingForm: IncomingForm<IncomingBody<RequestBody>> {
            IncomingForm(self.headers, body: IncomingBody(self.body))
        }
    }
#endif
