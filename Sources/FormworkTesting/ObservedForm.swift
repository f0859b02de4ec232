import Formwork

/// The content of a form, part by part, without holding it: names, types, lengths and checksums of any content, and
/// small content itself.
///
/// Compare two of them with ``expectForm(_:equals:)-(ObservedForm,ObservedForm)``.
public struct ObservedForm: Sendable {
    /// A part: its header section, and a summary of its content.
    public struct Part: Sendable {
        /// The part's header section.
        public let header: ReceivedHeader
        let content: ContentObserver

        /// The field's name; `nil` when there is none.
        public var name: String? { self.header.name }
        /// The file's name; `nil` for a field.
        public var filename: String? { self.header.filename }
        /// The content's type; `nil` if there is none, which means `text/plain`.
        public var contentType: String? { self.header.contentType }
        /// Bytes of content.
        public var count: Int64 { self.content.count }
        /// The content's CRC-32C.
        public var checksum: DigestValue {
            DigestValue(algorithm: CRC32C.algorithm, bytes: self.content.checksum.finalized())
        }
        /// The content; `nil` if it has more bytes than are kept.
        public var bytes: [UInt8]? { self.content.bytes }
        /// The content as UTF-8, repaired if invalid; `nil` if it has more bytes than are kept.
        public var text: String? { self.bytes.map { String(decoding: $0, as: UTF8.self) } }
    }

    /// The parts in their order.
    public let parts: [Part]

    /// The first part with this name, byte for byte; `nil` if there is none.
    public subscript(name: String) -> Part? { self.parts.first { $0.name?.hasSameBytes(as: name) ?? false } }

    init(_ parts: [Part]) { self.parts = parts }

    /// Composes and reads a plan, all bytes of it, which uses up a source that can be read only once.
    /// - Parameters:
    ///   - plan: The body that would be sent.
    ///   - keeping: The most bytes of each part's content that are kept; by default 1 MiB.
    /// - Throws: The errors of reading the plan, and of ``MultipartParser``.
    public init(_ plan: BodyPlan, keeping: Int = 1 << 20) async throws {
        var observer = try FormObserver(contentType: plan.contentType, keeping: keeping)
        for try await chunk in plan.chunks(of: 1 << 20) { try chunk.withRawSpan { try observer.take($0) } }
        self = try observer.form()
    }

    /// Reads a collected form.
    /// - Parameters:
    ///   - form: The form that has arrived.
    ///   - keeping: The most bytes of each part's content that are kept; by default 1 MiB.
    /// - Throws: The errors of reading the form's files.
    public init(_ form: ReceivedForm, keeping: Int = 1 << 20) async throws {
        var parts: [Part] = []
        for entry in form {
            var content = ContentObserver(room: keeping)
            if let bytes = entry.content.inMemory {
                bytes.withRawSpan { content.take($0) }
            } else {
                for try await chunk in try entry.content.source.chunks(of: 1 << 20) {
                    chunk.withRawSpan { content.take($0) }
                }
            }
            parts.append(Part(header: entry.header, content: content))
        }
        self.init(parts)
    }
}

extension ObservedForm: CustomStringConvertible {
    /// The form in a few lines, without content: `2 parts: field "title", 12 bytes; file "photo" (beach.jpg), 90210 bytes`.
    public var description: String {
        Summary.text(
            self.parts.map { part in
                let filename = part.header.isFile ? part.filename ?? "" : nil
                return Summary.line(name: part.name, filename: filename, contentType: part.contentType)
                    + ", \(part.count, "byte")"
            })
    }
}

/// Parses a multipart body as it passes.
struct FormObserver: Sendable {
    private var parser: MultipartParser
    private let keeping: Int
    private var parts: [ObservedForm.Part] = []
    private var header: ReceivedHeader?
    private var content = ContentObserver(room: 0)
    private var isOver = false

    init(contentType: String, keeping: Int) throws(FormworkError) {
        // A test's own client sends it, so a server's limits don't apply.
        self.parser = try MultipartParser(contentType: contentType, limits: .none)
        self.keeping = keeping
    }

    mutating func take(_ bytes: RawSpan) throws(FormworkError) {
        var place = 0
        while !self.isOver {
            switch try self.parser.next(in: bytes, from: &place) {
            case .partBegan(let header):
                (self.header, self.content) = (header, ContentObserver(room: self.keeping))
            case .content(let range): self.content.take(bytes.extracting(range))
            case .heldContent(let held): held.withRawSpan { self.content.take($0) }
            case .partEnded:
                if let header = self.header {
                    self.parts.append(ObservedForm.Part(header: header, content: self.content))
                }
            case .finished: self.isOver = true
            case .needsInput: return
            }
        }
    }

    /// The parts, after the body's end.
    mutating func form() throws(FormworkError) -> ObservedForm {
        try self.parser.finish()
        return ObservedForm(self.parts)
    }
}
