/// Content in memory is equal if its bytes are, files if path, range and expected state are, and synthetic bytes if
/// rule and length are. Streams are equal only to their copies. No file is accessed.
extension BodySource: Equatable {
    /// Whether both have the same bytes, as far as that is known without reading.
    public static func == (left: BodySource, right: BodySource) -> Bool {
        guard let bytes = left.bytesInMemory, let others = right.bytesInMemory else { return left.kind == right.kind }
        return bytes == others
    }

    private var bytesInMemory: [UInt8]? {
        switch self.kind {
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        case .stream(let stream): stream.chunk.map { $0.array }
        default: nil
        }
    }
}

extension BodySource.DescriptorSource: Equatable {
    static func == (left: Self, right: Self) -> Bool {
        left.descriptor == right.descriptor && left.offset == right.offset && left.length == right.length
            && left.spool === right.spool
    }
}

extension StreamSource: Equatable {
    static func == (left: Self, right: Self) -> Bool { left.identity === right.identity }
}

extension FormData.Entry: Equatable {
    static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.part(let left), .part(let right)): left == right
        case (.parts(let left), .parts(let right)): left.identity === right.identity
        case (.part, _), (.parts, _): false
        }
    }
}
