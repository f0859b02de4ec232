import FormworkFoundation

extension ParameterValue {
    /// Refuses members of which a dictionary keeps one. Swift compares names by their characters, so two spellings of
    /// `é` are one name.
    func checkNames() throws(FormworkError) {
        switch self {
        case .array(let elements), .set(let elements):
            for element in elements { try element.checkNames() }
        case .object(let members):
            var names: Set<String> = []
            for member in members {
                guard names.insert(member.name).inserted else {
                    throw FormworkError(.invalidArgument, "\"\(member.name)\" occurs more than once")
                }
                try member.value.checkNames()
            }
        case .null, .bool, .integer, .double, .text, .bytes: break
        }
    }
}
