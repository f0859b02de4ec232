import FormworkClient
import FormworkCommand
import FormworkSystem

/// The header fields of a request. `-H` works as in curl: `Name: value` adds a field, `Name:` leaves out the one
/// that would be sent without it, `Name;` adds
/// an empty one. `-H @FILE` has been replaced by the file's lines.
struct RequestFields {
    private(set) var fields: HTTPFields = [.userAgent: "formwork/\(FormworkVerbs.version)", .accept: "*/*"]
    /// Whether `Expect: 100-continue` may be sent before a large body.
    private(set) var asksFirst = true
    private var removed: Set<HTTPField.Name> = []
    /// Fields that `-H` replaces: they have a value of ours, or of an option.
    private var replaceable: Set<HTTPField.Name> = [.userAgent, .accept]

    /// Fields with one value, which two values would make into another one.
    private static let single: Set<String> = ["host", "authorization"]

    /// - Parameters:
    ///   - options: Headers that other options mean.
    ///   - headers: Those of `-H`, which have precedence.
    init(options: [String], _ headers: [GivenHeader]) throws {
        for header in options { try self.add(GivenHeader(header)) }
        self.replaceable = [.userAgent, .accept]
        // As in curl, a header without a value leaves out a field of ours, not another header's, whatever their order.
        for isRemoval in [true, false] {
            for header in headers where header.isRemoval == isRemoval { try self.add(header) }
        }
    }

    private mutating func add(_ header: GivenHeader) throws {
        guard let sign = header.sign, let name = HTTPField.Name(header.name) else {
            throw header.refused("write 'Name: value'")
        }
        guard name != .contentLength, name != .transferEncoding else {
            throw header.refused("it is set from the body's length: leave it out")
        }
        if name == .expect { self.asksFirst = !header.isRemoval }
        if header.isRemoval {
            self.removed.insert(name)
            return self.fields[name] = nil
        }
        guard sign == UInt8(ascii: ":") || header.value.isEmpty else { throw header.refused("write 'Name: value'") }
        guard HTTPField.isValidValue(header.value) else {
            throw header.refused("a value can't contain line ends or other control characters")
        }
        if self.replaceable.remove(name) != nil { self.fields[name] = nil }
        guard self.fields[name] == nil || !Self.single.contains(name.canonicalName) else {
            throw header.refused("it can be given only once: leave one of them out")
        }
        self.fields.append(HTTPField(name: name, value: header.value))
    }

    /// Lets a server that knows the field process a repeated request once. Also for PUT: our receiver stores a second file
    /// with the same name under another name. `-H` may give the field or leave it out.
    mutating func addIdempotencyKey() {
        guard let name = HTTPField.Name("Idempotency-Key"), self.fields[name] == nil, !self.removed.contains(name)
        else { return }
        self.fields[name] = "\"\(RandomWord.make())\(RandomWord.make())\""
    }

    /// - Parameter authorization: The value for `Authorization`, unless a header has it.
    mutating func authorize(_ authorization: String) {
        if self.fields[.authorization] == nil { self.fields[.authorization] = authorization }
    }
}
