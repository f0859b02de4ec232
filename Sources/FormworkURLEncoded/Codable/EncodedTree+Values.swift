import FormworkCore

/// What was written: a tree of parameters, or the fields of a form.
extension EncodedTree {
    /// The finished tree.
    /// - Throws: ``InvalidRoot`` if the root isn't an object.
    func finished() throws(InvalidRoot) -> ParameterValue {
        try self.checkRoot()
        return self.value(0)
    }

    private func checkRoot() throws(InvalidRoot) {
        switch self.nodes[0].kind {
        case .object: return
        case .array: throw .array
        case .value: throw .singleValue
        }
    }

    private func value(_ node: Int32) -> ParameterValue {
        let content = self.nodes[Int(node)]
        return switch content.kind {
        case .value: if case .value(let value) = content.value { value } else { .null }
        case .array: .array(self.children(of: node).map { self.value($0) })
        case .object: .object(self.children(of: node).map { .init(self.nodes[Int($0)].name, self.value($0)) })
        }
    }

    /// Calls a closure for each value, with the name that it has in a form: members and elements with members of their own
    /// are in brackets.
    /// - Throws: ``InvalidRoot``; `EncodingError` for values and objects in one array that couldn't be told apart.
    func forEachLeaf(_ visit: (String, EncodedLeaf) -> Void) throws {
        try self.checkRoot()
        for child in self.children(of: 0) { try self.visit(child, self.nodes[Int(child)].name, visit) }
    }

    private func visit(_ node: Int32, _ name: String, _ visit: (String, EncodedLeaf) -> Void) throws {
        let content = self.nodes[Int(node)]
        switch content.kind {
        case .value: visit(name, content.value)
        case .object:
            for child in self.children(of: node) {
                try self.visit(child, "\(name)[\(self.nodes[Int(child)].name)]", visit)
            }
        case .array:
            let children = self.children(of: node)
            if case .repeated = self.coding.flattening.arrays,
                Set(children.map { self.nodes[Int($0)].kind == .value }).count > 1
            {
                throw self.coding.refusal(
                    name, [IndexKey(named: name)],
                    "Values and objects in one array need FormDataEncoder.arrays = .indices")
            }
            for (index, child) in children.enumerated() {
                let isValue = self.nodes[Int(child)].kind == .value
                try self.visit(
                    child, isValue ? self.coding.flattening.arrays.name(name, index) : "\(name)[\(index)]", visit)
            }
        }
    }

    func children(of node: Int32) -> [Int32] {
        var children: [Int32] = []
        children.reserveCapacity(Int(self.nodes[Int(node)].count))
        var child = self.nodes[Int(node)].first
        while child >= 0 {
            children.append(child)
            child = self.nodes[Int(child)].next
        }
        return children
    }
}
