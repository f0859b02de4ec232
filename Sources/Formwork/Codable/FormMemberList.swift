import FormworkCore

/// The members of an object, and where the last one was found: types ask for their members in order, and forms often
/// have them in the same order.
final class FormMemberList {
    typealias Value = FormContents.Value

    private let members: [FormContents.Member]
    private var next = 0
    /// The place of each name; `nil` while comparing names is faster.
    private let places: [[UInt8]: Int]?

    init(_ value: Value) {
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

    var names: [String] { self.members.map(\.name) }

    /// The value at a place.
    subscript(place: Int) -> Value { self.members[place].value }

    /// The index of a member; `nil` if no member has the name.
    func find(_ name: String) -> Int? {
        if self.next < self.members.count, self.members[self.next].name.hasSameBytes(as: name) {
            self.next += 1
            return self.next - 1
        }
        let place =
            if let places = self.places {
                places[Array(name.utf8)]
            } else {
                self.members.firstIndex { $0.name.hasSameBytes(as: name) }
            }
        if let place { self.next = place + 1 }
        return place
    }

    // MARK: plain fields

    // Members that are fields in UTF-8, as most are, without a decoder of their own. They are `nil` for anything else,
    // which the decoder then reads or refuses. Here and not in the container, which is generic in its key: its code
    // isn't specialised.

    func plainText(_ name: String, in form: FormContents) -> String? {
        guard let place = self.find(name), case .leaf(let index) = self.members[place].value else { return nil }
        return form.entries[index].plainText
    }

    func plainFlag(_ name: String, in form: FormContents) -> Bool? {
        self.plainText(name, in: form).flatMap { Bool(formText: $0) }
    }

    func plainNumber<Number: LosslessStringConvertible>(
        _ type: Number.Type, _ name: String, in form: FormContents
    ) -> Number? {
        self.plainText(name, in: form).flatMap { Number($0) }
    }

    func plainFraction<Number: BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: Number.Type, _ name: String, in form: FormContents
    ) -> Number? {
        self.plainText(name, in: form).flatMap {
            Number(decimal: $0, acceptsNonFinite: form.options.acceptsNonFiniteNumbers)
        }
    }
}
