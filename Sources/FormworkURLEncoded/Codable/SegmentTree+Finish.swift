extension SegmentTree {
    /// Sorts the segments and joins them.
    /// - Returns: The range of the finished text.
    /// - Throws: ``InvalidRoot`` if the root isn't an object.
    mutating func finish() throws(InvalidRoot) -> Range<Int> {
        switch self.nodes[0].kind {
        case .object: return self.finish(0)
        case .array: throw .array
        case .value: throw .singleValue
        }
    }

    /// The finished text of a container, joined from its children's; a single child's text isn't copied.
    private mutating func finish(_ container: Int32) -> Range<Int> {
        let node = self.nodes[Int(container)]
        var segments: [Range<Int>] = []
        segments.reserveCapacity(Int(node.count))
        var child = node.first
        while child >= 0 {
            let node = self.nodes[Int(child)]
            segments.append(node.kind == .value ? node.text : self.finish(child))
            child = node.next
        }
        guard segments.count > 1 else { return segments.first ?? 0..<0 }
        switch self.coding.order {
        case .given: break
        case .members: if node.kind == .object { self.sort(&segments) }
        case .membersAndElements: self.sort(&segments)
        }
        // Not straight to the text: to append a part of an array to the array itself, the part has to be copied first.
        var joined: [UInt8] = []
        joined.reserveCapacity(segments.reduce(0) { $0 + $1.count + 1 })
        for segment in segments {
            if !joined.isEmpty { joined.append(0x26) }
            joined.append(contentsOf: self.text[segment])
        }
        let start = self.text.count
        self.text += joined
        return start..<self.text.count
    }

    private func sort(_ segments: inout [Range<Int>]) {
        segments.sort { self.text.order($0, $1) < 0 }
    }
}

extension [UInt8] {
    /// Appends a copy of the bytes in `range`. Appending a slice to its own array would copy the whole array first.
    mutating func append(copyOf range: Range<Int>) { self += [UInt8](self[range]) }

    /// Which of two ranges comes first, byte by byte: negative, 0 or positive.
    func order(_ left: Range<Int>, _ right: Range<Int>) -> Int {
        for offset in 0..<Swift.min(left.count, right.count) {
            let (mine, other) = (self[left.lowerBound + offset], self[right.lowerBound + offset])
            if mine != other { return Int(mine) - Int(other) }
        }
        return left.count - right.count
    }
}
