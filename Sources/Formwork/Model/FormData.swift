import FormworkCore
import SystemPackage

/// A form to be sent: parts in order, and how they are framed. A value: copies are independent.
///
/// Nothing is read or opened before ``plan()-1mfhu``.
///
/// Equal forms have equal parts in the same order and the same framing, and so the same boundary, which is chosen at random
/// unless it is given: compare ``parts`` where the boundary doesn't matter.
public struct FormData: Sendable, Equatable {
    enum Entry: Sendable {
        case part(BodyPart)
        case parts(PartSequence)
        case arriving(ArrivingParts)
    }

    /// How the parts are framed. The boundary is chosen here, once.
    public var framing: MultipartFraming
    /// How the types of file uploads are found whose part has none; `nil` takes the enclosing form's way, and for the
    /// body itself ``MediaTypeDetection/byExtension``.
    public var types: MediaTypeDetection?
    private(set) var entries: [Entry] = []

    /// An empty form.
    public init(framing: MultipartFraming = MultipartFraming(), types: MediaTypeDetection? = nil) {
        self.framing = framing
        self.types = types
    }

    /// A form of these parts.
    public init(
        _ parts: [BodyPart], framing: MultipartFraming = MultipartFraming(), types: MediaTypeDetection? = nil
    ) {
        self.init(framing: framing, types: types)
        self.entries = parts.map { .part($0) }
    }

    /// The parts in order; `nil` when some are made only when their turn comes.
    public var parts: [BodyPart]? {
        var parts: [BodyPart] = []
        for entry in self.entries {
            guard case .part(let part) = entry else { return nil }
            parts.append(part)
        }
        return parts
    }

    /// Replaces the source of every part that is here already.
    mutating func replaceSources(
        _ replace: (BodySource) throws(FormworkError) -> BodySource
    ) throws(FormworkError) {
        for index in self.entries.indices {
            guard case .part(var part) = self.entries[index] else { continue }
            do throws(FormworkError) {
                part.source = try replace(part.source)
            } catch {
                var error = error.naming(PartReference(index: index, name: part.header.name))
                // A part of a form inside this one names only its own place so far.
                if case .multipart = part.source.kind { error.part?.enclosing.insert(index, at: 0) }
                throw error
            }
            self.entries[index] = .part(part)
        }
    }

    /// Adds a part.
    public mutating func append(_ part: BodyPart) { self.entries.append(.part(part)) }

    /// Adds parts that are made when their turn comes.
    public mutating func append(_ parts: PartSequence) { self.entries.append(.parts(parts)) }

    /// Adds the parts of an async sequence, iterated once: each is framed when it comes, and sent before the next is asked
    /// for. Such a body is read by an ``AsyncBodyReader``, and has no known length.
    ///
    /// With ``BodyPart/init(_:)-(ReceivedPart<Chunks>)`` a form is sent on while it arrives:
    ///
    /// ```
    /// form.append(once: parts.filter { $0.name != "token" }.map { BodyPart($0) })
    /// ```
    public mutating func append<Parts: AsyncSequence & Sendable>(once parts: Parts) where Parts.Element == BodyPart {
        self.entries.append(.arriving(ArrivingParts(parts)))
    }

    /// Adds a field with text.
    public mutating func append(name: String, value: String, contentType: String? = nil) {
        self.append(BodyPart(name: name, value: value, contentType: contentType))
    }

    /// Adds a part of `application/json`.
    /// - Throws: What ``BodyPart/init(name:json:)`` throws.
    public mutating func append(name: String, json value: some Encodable) throws {
        self.append(try BodyPart(name: name, json: value))
    }

    /// Adds a file upload; the filename is the path's last component and the type is found, unless given.
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
