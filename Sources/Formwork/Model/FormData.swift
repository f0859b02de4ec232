/// A form to send: parts in order, and how they are framed.
///
/// ```swift
/// var form = FormData()
/// form.append(name: "title", value: "Harbour at dawn")
/// form.append(name: "photo", file: "harbour.jpg")
///
/// let plan = try await form.plan()
/// print(plan.contentType)
/// ```
///
/// It is a value, so copies are independent. Nothing is read or opened before ``plan()-1mfhu``, which checks every part
/// and every file. A file's content is never held in memory; the part itself is. For very many parts, append a
/// ``PartSequence``, which makes them when they are needed.
///
/// Equal forms have equal parts in the same order and the same framing, including the boundary. The boundary is random
/// unless it is given, so compare ``parts`` if it doesn't matter.
public struct FormData: Sendable, Equatable {
    enum Entry: Sendable {
        case part(BodyPart)
        case parts(PartSequence)
    }

    /// How the parts are framed. It includes the boundary.
    public var framing: MultipartFraming
    /// How to find the types of file uploads without one. `nil` uses the enclosing form's way, or
    /// ``MediaTypeDetection/byExtension`` for the outermost form.
    public var types: MediaTypeDetection?
    private(set) var entries: [Entry] = []

    /// An empty form.
    public init(framing: MultipartFraming = MultipartFraming(), types: MediaTypeDetection? = nil) {
        self.framing = framing
        self.types = types
    }

    /// An empty form with this boundary; see ``Boundary``.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for text that isn't a boundary.
    public init(boundary: String, types: MediaTypeDetection? = nil) throws(FormworkError) {
        self.init(framing: MultipartFraming(boundary: try Boundary(boundary)), types: types)
    }

    /// A form of these parts.
    public init(
        _ parts: [BodyPart], framing: MultipartFraming = MultipartFraming(), types: MediaTypeDetection? = nil
    ) {
        self.init(framing: framing, types: types)
        self.entries = parts.map { .part($0) }
    }

    /// The parts in order; `nil` if some are made only when the body is read.
    public var parts: [BodyPart]? {
        var parts: [BodyPart] = []
        for entry in self.entries {
            guard case .part(let part) = entry else { return nil }
            parts.append(part)
        }
        return parts
    }

    /// Replaces the source of every part that exists already.
    mutating func replaceSources(
        _ replace: (BodySource) throws(FormworkError) -> BodySource
    ) throws(FormworkError) {
        for index in self.entries.indices {
            guard case .part(var part) = self.entries[index] else { continue }
            do throws(FormworkError) {
                part.source = try replace(part.source)
            } catch {
                var error = error.naming(PartReference(index: index, name: part.header.name))
                // The error's part was in a form inside this one, and doesn't have this form's index yet.
                if case .multipart = part.source.kind { error.part?.enclosing.insert(index, at: 0) }
                throw error
            }
            self.entries[index] = .part(part)
        }
    }

    /// Adds a part.
    public mutating func append(_ part: consuming BodyPart) { self.entries.append(.part(part)) }

    /// Adds parts that are made while the body is planned and read.
    public mutating func append(_ parts: PartSequence) { self.entries.append(.parts(parts)) }

    /// Adds the parts of an async sequence, iterated once. Each part is framed when it arrives, and the
    /// next is requested after its content was read. Such a body has no known length; read it with an ``AsyncBodyReader``.
    ///
    /// With ``BodyPart/init(_:)-(ReceivedPart<Chunks>)`` a form is forwarded while it arrives:
    ///
    /// ```swift
    /// form.append(once: parts.filter { $0.name != "token" }.map { BodyPart($0) })
    /// ```
    public mutating func append<Parts: AsyncSequence & Sendable>(once parts: Parts) where Parts.Element == BodyPart {
        self.append(PartSequence(arriving: parts) { MappedIterator($0) { part in part } })
    }

    /// Adds a field with text.
    public mutating func append(name: String, value: String, contentType: String? = nil) {
        self.append(BodyPart(name: name, value: value, contentType: contentType))
    }

    /// Adds a field with a number, a Bool or another value as Swift writes it: `5`, `true`.
    public mutating func append(name: String, value: some LosslessStringConvertible, contentType: String? = nil) {
        self.append(BodyPart(name: name, value: value.description, contentType: contentType))
    }

    /// Adds a part of `application/json`.
    /// - Throws: What ``BodyPart/init(name:json:)`` throws.
    public mutating func append(name: String, json value: some Encodable) throws {
        self.append(try BodyPart(name: name, json: value))
    }

    /// Adds a file upload. By default the filename is the path's last component, and the type is found.
    public mutating func append(
        name: String, file path: some PathConvertible, filename: String? = nil, contentType: String? = nil
    ) {
        self.append(BodyPart(name: name, file: path, filename: filename, contentType: contentType))
    }

    /// Adds a part from any source.
    public mutating func append(
        name: String, source: BodySource, filename: String? = nil, contentType: String? = nil
    ) {
        self.append(BodyPart(name: name, source: source, filename: filename, contentType: contentType))
    }
}
