import FormworkCore

/// Where a form is in a body: what the forms around it decide for it.
///
/// It goes with every ``SourceResolver``, so that a form is nested by the same rules wherever it comes from: a part, a
/// part of a ``PartSequence`` or of an async sequence, or a piece of a concatenation.
struct FormPlace: Sendable {
    /// Forms may be in this many others.
    static let depthLimit = 40

    /// The places of the parts around it, outermost first.
    private(set) var enclosing: [Int] = []
    /// The boundaries of the forms around it, outermost first.
    private var boundaries: [Boundary] = []
    /// How types are found unless the form says otherwise.
    private(set) var types = MediaTypeDetection.byExtension

    /// The place of the forms in the part at `index`.
    func inside(partAt index: Int) -> FormPlace {
        var place = self
        place.enclosing.append(index)
        return place
    }

    /// The place of what is in `form`.
    ///
    /// A receiver compares a line's start with `--` and the boundary (RFC 2046 §5.1.1), so a boundary that another one
    /// begins with would end the wrong multipart.
    /// - Throws: ``FormworkError/Code/limitExceeded`` below ``depthLimit``, ``FormworkError/Code/invalidArgument`` for
    ///   such a boundary.
    func inside(_ form: FormData) throws(FormworkError) -> FormPlace {
        guard self.boundaries.count <= Self.depthLimit else {
            throw FormworkError(
                .limitExceeded, "the multipart is in more than \(Self.depthLimit) others: nest less deep")
        }
        let boundary = form.framing.boundary
        for outer in self.boundaries where boundary.text.hasPrefix(outer.text) || outer.text.hasPrefix(boundary.text) {
            throw FormworkError(
                .invalidArgument,
                "the boundary \"\(boundary)\" and the one around it, \"\(outer)\", begin alike, so that receivers take one "
                    + "for the other: choose another")
        }
        var place = self
        place.boundaries.append(boundary)
        place.types = form.types ?? self.types
        return place
    }
}
