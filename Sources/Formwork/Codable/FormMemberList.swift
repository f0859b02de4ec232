import FormworkCore

/// The members of an object, and where the last one was found: types ask for their members in order, and forms often
/// have them in the same order.
final class FormMemberList {
    typealias Value = FormContents.Value

    private let form: FormContents
    /// The members; empty if they are the form's parts.
    private let members: [FormContents.Member]
    private let areParts: Bool
    private var next = 0
    /// The place of each name; `nil` while comparing names is faster.
    private let places: [[UInt8]: Int]?

    /// The parts of a form, each of which is the member of its name.
    init(of form: FormContents) {
        (self.form, self.members, self.areParts, self.places) = (form, [], true, nil)
    }

    init(_ value: Value, in form: FormContents) {
        (self.form, self.areParts) = (form, false)
        self.members =
            switch value {
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

    private var count: Int { self.areParts ? self.form.parts.count : self.members.count }

    var names: [String] {
        self.areParts ? (0..<self.count).map { self.form.parts.name($0) ?? "" } : self.members.map(\.name)
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
            if self.isNamed(place, name) { return place }
            place = place + 1 < count ? place + 1 : 0
        }
        return nil
    }

    private func isNamed(_ place: Int, _ name: String) -> Bool {
        self.areParts ? self.form.parts.isNamed(place, name) : self.members[place].name.hasSameBytes(as: name)
    }

    // MARK: plain fields

    // Members that are fields in UTF-8, as most are, without a decoder of their own. They are `nil` for anything else,
    // which the decoder then reads or refuses. Here and not in the container, which is generic in its key: its code
    // isn't specialised.

    func plainText(_ name: String) -> String? {
        self.leaf(name).flatMap { self.form.parts.plainText($0) }
    }

    func plainFlag(_ name: String) -> Bool? {
        self.plainText(name).flatMap { Bool(formText: $0) }
    }

    func plainNumber<Number: FixedWidthInteger>(_ type: Number.Type, _ name: String) -> Number? {
        self.leaf(name).flatMap { self.form.parts.plainNumber($0) }.flatMap { Number(exactly: $0) }
    }

    func plainFraction<Number: BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: Number.Type, _ name: String
    ) -> Number? {
        self.plainText(name).flatMap {
            Number(decimal: $0, acceptsNonFinite: self.form.options.acceptsNonFiniteNumbers)
        }
    }

    /// The part that is a member; `nil` for other members and if there is none.
    private func leaf(_ name: String) -> Int? {
        guard let place = self.find(name) else { return nil }
        if self.areParts { return place }
        return if case .leaf(let index) = self.members[place].value { index } else { nil }
    }
}
