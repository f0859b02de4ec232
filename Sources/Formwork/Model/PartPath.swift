/// The place of a form in a body: the settings that it gets from the forms around it.
///
/// Every ``SourceResolver`` has one, so that the same nesting rules apply to a form in a part, in a part of a
/// ``PartSequence`` or of an async sequence, and in a concatenation.
struct PartPath: Sendable {
    /// The most forms that may enclose a form.
    static let depthLimit = 40

    /// The indices of the parts around it, outermost first.
    private(set) var enclosing: [Int] = []
    /// The boundaries of the forms around it, outermost first.
    private var boundaries: [Boundary] = []
    /// How types are found, unless the form has its own way.
    private(set) var types = MediaTypeDetection.byExtension

    /// The place of a form in the part at `index`.
    func inside(partAt index: Int) -> PartPath {
        var place = self
        place.enclosing.append(index)
        return place
    }

    /// The place of the content of `form`.
    ///
    /// A receiver compares a line's start with `--` and the boundary (RFC 2046 §5.1.1), so a boundary that is a prefix
    /// of another one would end the wrong multipart.
    /// - Throws: ``FormworkError/Code/limitExceeded`` for forms nested deeper than ``depthLimit``,
    ///   ``FormworkError/Code/invalidArgument`` for such a boundary.
    func inside(_ form: FormData) throws(FormworkError) -> PartPath {
        guard self.boundaries.count <= Self.depthLimit else {
            throw FormworkError(
                .limitExceeded, "the multipart is nested in more than \(Self.depthLimit) others: nest less deeply")
        }
        let boundary = form.framing.boundary
        for outer in self.boundaries where boundary.text.hasPrefix(outer.text) || outer.text.hasPrefix(boundary.text) {
            throw FormworkError(
                .invalidArgument,
                "the boundary \"\(boundary)\" and the one around it, \"\(outer)\", begin alike, so receivers confuse "
                    + "them: choose another one")
        }
        var place = self
        place.boundaries.append(boundary)
        place.types = form.types ?? self.types
        return place
    }
}
