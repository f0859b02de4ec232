import FormworkSystem

/// Turns a form, with the forms inside its parts, into one list of pieces.
struct PlanBuilder {
    private let resolver: SourceResolver
    private(set) var layout = Layout()
    private(set) var sources: [PlannedSource] = []
    private(set) var parts: [BodyPlan.Part] = []
    private(set) var lengthBlocker: FormworkError?
    private(set) var replayBlocker: FormworkError?
    /// The FIFOs that parts read.
    private var pipes: Set<PipeIdentity> = []
    /// Whether the body is a form, not one source's content.
    private(set) var isForm = false

    init(resolver: SourceResolver = SourceResolver()) { self.resolver = resolver }

    /// A form at the resolver's place.
    mutating func build(_ form: FormData) throws(FormworkError) {
        self.isForm = true
        self.parts.reserveCapacity(form.entries.count)
        self.layout.reserveCapacity(parts: form.entries.count)
        try self.append(form, at: self.resolver.formPlace, in: -1)
    }

    /// One source's content without any framing.
    mutating func build(content source: BodySource) throws(FormworkError) {
        let reference = PartReference(index: 0, name: nil)
        let part = BodyPart(header: PartHeader(), source: source)
        self.parts = [BodyPlan.Part(reference: reference, part: part, parent: -1, length: nil)]
        try self.resolver.resolve(source) { source throws(FormworkError) in self.sources.append(source) }
        for number in self.sources.indices { try self.addPiece(of: number, part: 0) }
        self.parts[0].length = self.layout.length
    }

    /// - Parameter parent: The number of the part that the form is the content of; -1 for the body itself.
    private mutating func append(_ form: FormData, at outside: PartPath, in parent: Int) throws(FormworkError) {
        let framer = PartFramer(form.framing)
        let place = try outside.inside(form)
        var count = 0
        for index in form.entries.indices {
            // Consumed: otherwise a case's part would be a second copy.
            let entry = form.entries[index]
            switch consume entry {
            case .part(let part):
                let reference = PartReference(index: count, name: part.header.name, enclosing: place.enclosing)
                do throws(FormworkError) {
                    try self.append(consume part, as: reference, framer, at: place, in: parent)
                } catch {
                    throw error.naming(reference)
                }
                try count.countMore(1)
            case .parts(let sequence):
                let reference = PartReference(index: count, name: nil, enclosing: place.enclosing)
                let parts =
                    sequence.arrivals == nil
                    ? try PlannedParts(
                        sequence, framer: framer, place: place, first: reference, status: self.resolver.status)
                    : PlannedParts(
                        sequence, waitingFor: .arrivingParts, framer: framer, place: place, first: reference)
                let number = self.parts.count
                self.parts.append(
                    BodyPlan.Part(reference: reference, part: nil, parent: parent, length: parts.length))
                if parts.count > 0 { try self.append(.parts(parts), part: number) }
                // Parts that arrive count as one. Only the first part's delimiter has no line end before it, so a part after
                // these gets one. If no part arrives, that line end is an empty preamble (RFC 2046 section 5.1.1).
                try count.countMore(parts.count)
            }
        }
        try self.layout.append(part: parent, isFraming: true) { bytes in
            framer.appendEnd(afterParts: count > 0, to: &bytes)
        }
    }

    private mutating func append(
        _ part: consuming BodyPart, as reference: PartReference, _ framer: PartFramer, at place: PartPath,
        in parent: Int
    ) throws(FormworkError) {
        let number = self.parts.count
        try part.takeMultipartType()
        if case .multipart(let form) = part.content.kind {
            try self.appendHead(of: part.header, as: reference, framer)
            self.parts.append(BodyPlan.Part(reference: reference, part: part, parent: parent, length: 0))
            let start = self.layout.length
            try self.append(form, at: place.inside(partAt: reference.index), in: number)
            self.parts[number].length = start.flatMap { start in self.layout.length.map { $0 - start } }
            return
        }
        let content = part.content
        let isSmall = content.isSmall
        let first = self.sources.count
        if !isSmall {
            let resolver = self.resolver(at: place, part: reference.index)
            try resolver.resolve(content) { source throws(FormworkError) in self.sources.append(source) }
        }
        if part.isUndecided {
            let count = place.types.headCount
            if count > 0, let stream = self.sources[first...].firstToDefer {
                self.sources.removeSubrange(first...)
                let single = PartSequence(count: 1, isMeasured: false) { [part = copy part] _ in part }
                let parts = PlannedParts(single, waitingFor: stream, framer: framer, place: place, first: reference)
                self.parts.append(BodyPlan.Part(reference: reference, part: part, parent: parent, length: nil))
                return try self.append(.parts(parts), part: number)
            }
            // The type of encoded content is found from the content before encoding.
            let isReady = !isSmall && part.isUnencoded
            let head =
                count == 0
                ? nil
                : isReady
                    ? try self.sources[first...].head(upTo: count)
                    : try part.head(upTo: count, resolver: self.resolver(at: place, part: reference.index))
            part.decideType(by: place.types, head: head)
        }
        try self.appendHead(of: part.header, as: reference, framer)
        self.parts.append(BodyPlan.Part(reference: reference, part: consume part, parent: parent, length: 0))
        if isSmall {
            let start = self.layout.bytes.count
            try self.layout.append(part: number, isFraming: false) { bytes in content.appendIfSmall(to: &bytes) }
            self.parts[number].length = Int64(self.layout.bytes.count - start)
        }
        for source in first..<self.sources.count {
            let length = try self.addPiece(of: source, part: number)
            self.parts[number].length = try self.parts[number].length.addingLength(length)
        }
    }

    private func resolver(at place: PartPath, part index: Int) -> SourceResolver {
        SourceResolver(status: self.resolver.status, place: place, part: index)
    }

    /// Appends the bytes before the next part's content.
    private mutating func appendHead(
        of header: PartHeader, as reference: PartReference, _ framer: PartFramer
    ) throws(FormworkError) {
        try self.layout.append(part: self.parts.count, isFraming: true) { bytes throws(FormworkError) in
            try framer.appendHead(of: header, isFirst: reference.index == 0, to: &bytes)
        }
    }

    private mutating func append(_ source: PlannedSource, part: Int) throws(FormworkError) {
        self.sources.append(source)
        try self.addPiece(of: self.sources.count - 1, part: part)
    }

    /// Adds the piece of a source, which is at this place in ``sources``.
    /// - Returns: The source's length.
    @discardableResult
    private mutating func addPiece(of number: Int, part: Int) throws(FormworkError) -> Int64? {
        let length = self.sources[number].length
        try self.note(self.sources[number], part: part)
        try self.layout.append(length, part: part, .source(number))
        return length
    }

    /// Notes what a source means for the whole body.
    private mutating func note(_ source: PlannedSource, part: Int) throws(FormworkError) {
        switch source {
        // Their length is known, and they can be read again.
        case .bytes, .file, .synthetic: break
        default:
            if case .stream(let stream) = source, let pipe = stream.pipe, !self.pipes.insert(pipe).inserted {
                let name = stream.path == nil ? "\(stream.label) " : ""
                throw FormworkError(
                    .invalidArgument,
                    "\(name)is the content of another part, too, and can be read only once: store it in a file first",
                    path: stream.path)
            }
            let reference = self.parts[part].reference
            if self.lengthBlocker == nil { self.lengthBlocker = source.lengthBlocker(in: reference) }
            if self.replayBlocker == nil { self.replayBlocker = source.replayBlocker(in: reference) }
        }
    }
}

extension Int {
    /// Adds to a number of parts. It can't overflow, as a body's length exceeds its limit long before.
    fileprivate mutating func countMore(_ parts: Int) throws(FormworkError) {
        self = Int(try Int64(self).addingLength(Int64(parts)))
    }
}
