import FormworkCore

/// Turns a form into the one list.
struct PlanBuilder {
    let form: FormData
    private(set) var layout = Layout()
    private(set) var sources: [PlannedSource] = []
    private(set) var parts: [BodyPlan.Part] = []
    private(set) var lengthBlocker: Blocker?
    private(set) var replayBlocker: Blocker?
    /// Parts so far, those of sequences counted.
    private var count = 0

    init(_ form: FormData) { self.form = form }

    mutating func build() throws(FormworkError) {
        let framer = try PartFramer(self.form.framing)
        for entry in self.form.entries {
            switch entry {
            case .part(let part):
                let reference = PartReference(index: self.count, name: part.header.name)
                do throws(FormworkError) {
                    try self.append(part, as: reference, framer)
                } catch {
                    throw error.naming(reference)
                }
            case .parts(let sequence): try self.append(sequence, framer)
            }
        }
        let hasParts = self.count > 0
        try self.layout.append(part: -1, isFraming: true) { bytes in framer.appendEnd(afterParts: hasParts, to: &bytes)
        }
    }

    /// The content of the form's only part, without any framing.
    mutating func buildContent() throws(FormworkError) {
        guard case .part(let part)? = self.form.entries.first else { return }
        let reference = PartReference(index: 0, name: nil)
        try SourceResolver(status: SourceResolver.look).resolve(part.source) { source throws(FormworkError) in
            try self.append(source, part: 0, reference)
        }
        self.parts = [BodyPlan.Part(index: 0, length: self.layout.length)]
    }

    private mutating func append(
        _ part: BodyPart, as reference: PartReference, _ framer: PartFramer
    ) throws(FormworkError) {
        let isFirst = self.count == 0
        let number = self.parts.count
        var length: Int64? = 0
        self.count += 1
        try self.layout.append(part: number, isFraming: true) { bytes throws(FormworkError) in
            try framer.appendHead(of: part.header, isFirst: isFirst, to: &bytes)
        }
        var isSmall = false
        try self.layout.append(part: number, isFraming: false) { bytes in
            let start = bytes.count
            isSmall = part.source.appendIfSmall(to: &bytes)
            length = Int64(bytes.count - start)
        }
        if !isSmall {
            try SourceResolver(status: SourceResolver.look).resolve(part.source) { source throws(FormworkError) in
                length = try length.addingLength(source.length)
                try self.append(source, part: number, reference)
            }
        }
        self.parts.append(BodyPlan.Part(index: reference.index, length: length))
    }

    private mutating func append(_ sequence: PartSequence, _ framer: PartFramer) throws(FormworkError) {
        let parts = try PlannedParts(sequence, framer: framer, firstIndex: self.count)
        let reference = PartReference(index: self.count, name: nil)
        self.count += parts.count
        if parts.count > 0 { try self.append(.parts(parts), part: self.parts.count, reference) }
        self.parts.append(BodyPlan.Part(index: reference.index, length: parts.length))
    }

    private mutating func append(
        _ source: PlannedSource, part: Int, _ reference: PartReference
    ) throws(FormworkError) {
        if self.lengthBlocker == nil { self.lengthBlocker = Blocker(lengthOf: source, in: reference) }
        if self.replayBlocker == nil { self.replayBlocker = Blocker(replayOf: source, in: reference) }
        try self.layout.append(source.length, part: part, .source(self.sources.count))
        self.sources.append(source)
    }
}
