import FormworkCore

extension BodyPlan {
    /// The form's own parts as planned, with their types; `nil` if some are made or arrive while the body is read.
    package var outerParts: [(part: BodyPart, reference: PartReference)]? {
        var parts: [(BodyPart, PartReference)] = []
        for planned in self.storage.parts where planned.parent < 0 {
            guard let part = planned.part else { return nil }
            parts.append((part, planned.reference))
        }
        return parts
    }
}
