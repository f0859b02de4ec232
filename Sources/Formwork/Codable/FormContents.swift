/// The form that is being decoded, and the decoder's settings. All decoders of its values share it.
final class FormContents {
    /// A place of the form's tree. A leaf is the index of its part.
    typealias Value = NameTree<Int>.Value
    typealias Member = (name: String, value: Value)

    let parts: CollectedParts
    let options: FormDataDecoder
    /// Whether each part is the member of its name, so that no tree is made of the names. ``root()`` is empty then.
    let arePartsMembers: Bool

    init(_ parts: CollectedParts, _ options: FormDataDecoder) {
        (self.parts, self.options) = (parts, options)
        self.arePartsMembers = parts.haveOwnPlainNames(dots: options.splitsAtDots)
    }

    /// The form's tree.
    func root() throws(FormworkError) -> Value {
        if self.arePartsMembers { return .object([]) }
        if let members = self.flatMembers() { return members }
        return try self.tree()
    }

    /// The tree of a form whose names all have one level, as in most forms. It is the same that ``tree()`` makes, in a
    /// fraction of the time.
    /// - Returns: `nil` for a form with other names, and for one with so many that comparing them all is slow.
    func flatMembers() -> Value? {
        guard self.parts.count <= 64 else { return nil }
        var members: [Member] = []
        members.reserveCapacity(self.parts.count)
        for index in 0..<self.parts.count {
            guard let name = self.parts.name(index) else { continue }
            guard NameKey.isPlain(name, dots: self.options.splitsAtDots) else { return nil }
            // Names differ in their lengths first, which takes no call.
            var place = 0
            let length = name.utf8.count
            while place < members.count,
                members[place].name.utf8.count != length || !members[place].name.hasSameBytes(as: name)
            { place += 1 }
            guard place < members.count else {
                members.append((name, .leaf(index)))
                continue
            }
            if case .array(let values) = members[place].value {
                members[place].value = .array(values + [.leaf(index)])
            } else {
                members[place].value = .array([members[place].value, .leaf(index)])
            }
        }
        return .object(members)
    }

    /// The tree of a form with any names.
    func tree() throws(FormworkError) -> Value {
        var tree = NameTree<Int>(overwrites: false, groups: true)
        // Trees are walked recursively, so even `.max` needs a bound.
        let depth = min(max(0, self.options.nameDepth), 512)
        for index in 0..<self.parts.count {
            guard let name = self.parts.name(index) else { continue }
            let bytes = Array(name.utf8)
            let path = NameKey.path(bytes, dots: self.options.splitsAtDots, limit: depth) ?? [NameKey(bytes[...])]
            guard path.count <= depth + 1 else {
                throw ParsingFailure(.nameDepthLimit, limit: Int64(depth))
                    .error("The name nests deeper than \(depth, "level") (FormDataDecoder.nameDepth).", at: nil)
                    .naming(PartReference(index: index, name: name))
            }
            do throws(FormworkError) {
                try tree.set(index, at: path, named: name)
            } catch {
                throw error.naming(PartReference(index: index, name: name))
            }
        }
        return tree.value
    }
}
