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
        try self.layout.append(part: -1, isFraming: true) { bytes in framer.writeEnd(afterParts: hasParts, to: &bytes) }
    }

    /// A list of one source without any framing.
    mutating func build(copying source: BodySource) throws(FormworkError) {
        let reference = PartReference(index: 0, name: nil)
        try SourceResolver(status: SourceResolver.look).resolve(source) { source throws(FormworkError) in
            try self.append(source, part: 0, reference)
        }
        self.parts = [
            BodyPlan.Part(
                reference: reference, length: self.layout.length, header: PartHeader(name: nil), typeReason: "")
        ]
    }

    private mutating func append(
        _ part: BodyPart, as reference: PartReference, _ framer: PartFramer
    ) throws(FormworkError) {
        let isFirst = self.count == 0
        let number = self.parts.count
        self.count += 1
        try self.layout.append(part: number, isFraming: true) { bytes throws(FormworkError) in
            try framer.writeHead(of: part.header, isFirst: isFirst, to: &bytes)
        }
        var length: Int64? = 0
        if let inline = part.source.inlineCount {
            length = Int64(inline)
            try self.layout.append(part: number, isFraming: false) { bytes in part.source.writeInline(to: &bytes) }
        } else {
            try SourceResolver(status: SourceResolver.look).resolve(part.source) { source throws(FormworkError) in
                length = length.flatMap { sum in source.length.map { sum + $0 } }
                try self.append(source, part: number, reference)
            }
        }
        self.parts.append(
            BodyPlan.Part(reference: reference, length: length, header: part.header, typeReason: part.typeReason))
    }

    private mutating func append(_ sequence: PartSequence, _ framer: PartFramer) throws(FormworkError) {
        let parts = try PlannedParts(sequence, framer: framer, firstIndex: self.count)
        guard parts.count > 0 else { return }
        let reference = PartReference(index: self.count, name: nil)
        self.count += parts.count
        try self.append(.parts(parts), part: self.parts.count, reference)
        self.parts.append(
            BodyPlan.Part(
                reference: reference, length: parts.length, header: PartHeader(name: nil),
                typeReason: "\(parts.count) parts made when their turn comes"))
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
