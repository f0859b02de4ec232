import FormworkURLEncoded

/// The members of an object, and where the last one was found: types ask for their members in order, and forms often
/// have them in the same order.
///
/// The standard library copies a container for each member. So ``FormMembers`` has a reference to this, and nothing else.
final class FormMemberList {
    typealias Value = FormContents.Value

    /// The decoder of the object.
    let decoder: FormValueDecoder
    private let parts: CollectedParts
    /// The members; empty if they are the form's parts.
    private let members: [FormContents.Member]
    private let areParts: Bool
    private var next = 0
    /// The place of each name; `nil` while comparing names is faster.
    private let places: [[UInt8]: Int]?

    /// - Parameter areParts: Whether each part of the form is the member of its name.
    init(of decoder: FormValueDecoder, areParts: Bool) {
        (self.decoder, self.parts, self.areParts) = (decoder, decoder.form.parts, areParts)
        guard !areParts else {
            (self.members, self.places) = ([], nil)
            return
        }
        self.members =
            switch decoder.value {
            case .object(let members): members
            // The members' names are numbers.
            case .array(let elements): elements.enumerated().map { (String($0), $1) }
            case .leaf: []
            }
        // Compared as UTF-8, so two spellings of a letter are two names.
        self.places =
            self.members.count <= 64
            ? nil
            : Dictionary(
                self.members.enumerated().map { (Array($1.name.utf8), $0) }, uniquingKeysWith: { first, _ in first })
    }

    private var count: Int { self.areParts ? self.parts.count : self.members.count }

    var names: [String] {
        self.areParts ? (0..<self.count).map { self.parts.name($0) ?? "" } : self.members.map(\.name)
    }

    /// The value at a place.
    subscript(place: Int) -> Value { self.areParts ? .leaf(place) : self.members[place].value }

    /// The index of a member; `nil` if no member has the name.
    func find(_ name: String) -> Int? {
        let place = self.places.map { $0[Array(name.utf8)] } ?? self.search(name)
        if let place { self.next = place + 1 }
        return place
    }

    /// Compares the names, beginning after the last place.
    private func search(_ name: String) -> Int? {
        let count = self.count
        var place = self.next < count ? self.next : 0
        for _ in 0..<count {
            let isNamed =
                self.areParts ? self.parts.isNamed(place, name) : self.members[place].name.hasSameBytes(as: name)
            if isNamed { return place }
            place = place + 1 < count ? place + 1 : 0
        }
        return nil
    }

    // MARK: plain fields

    // Members that are fields in UTF-8, as most are, without a decoder of their own. They are `nil` for anything else,
    // which the decoder then reads or refuses. Here and not in the container, which is generic in its key: its code
    // isn't specialised.

    func plainText(_ name: String) -> String? {
        self.leaf(name).flatMap { self.parts.plainText($0) }
    }

    /// A file, unless no file was chosen.
    func plainFile(_ place: Int) -> FormFile? {
        guard case .leaf(let index) = self[place], let file = self.parts.file(index) else { return nil }
        return FormFile(
            filename: file.header.filename, contentType: file.header.contentType, source: file.content.source)
    }

    func plainFlag(_ name: String) -> Bool? {
        self.plainText(name).flatMap { Bool(formText: $0) }
    }

    func plainNumber<Number: FixedWidthInteger>(_ type: Number.Type, _ name: String) -> Number? {
        self.leaf(name).flatMap { self.parts.plainNumber($0) }.flatMap { Number(exactly: $0) }
    }

    func plainFraction<Number: BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: Number.Type, _ name: String
    ) -> Number? {
        self.plainText(name).flatMap {
            Number(decimal: $0, acceptsNonFinite: self.decoder.options.acceptsNonFiniteNumbers)
        }
    }

    /// The part that is a member; `nil` for other members and if there is none.
    private func leaf(_ name: String) -> Int? {
        guard let place = self.find(name), case .leaf(let index) = self[place] else { return nil }
        return index
    }
}
