extension FormData.Entry: Equatable {
    static func == (left: FormData.Entry, right: FormData.Entry) -> Bool {
        switch (left, right) {
        case (.part(let left), .part(let right)): left == right
        case (.parts(let left), .parts(let right)): left.identity === right.identity
        case (.part, _), (.parts, _): false
        }
    }
}

/// Content in memory is equal if its bytes are, files if path, range and expected state are, and synthetic bytes if
/// rule and length are. Streams are equal only to their copies. No file is accessed.
extension BodySource: Equatable {
    /// Whether both have the same bytes, as far as that is known without reading.
    public static func == (left: BodySource, right: BodySource) -> Bool {
        if let left = left.bytesInMemory, let right = right.bytesInMemory { return left == right }
        return switch (left.kind, right.kind) {
        case (.file(let path, let range, let state), .file(let otherPath, let otherRange, let otherState)):
            path == otherPath && range == otherRange && state == otherState
        case (.descriptor(let left), .descriptor(let right)):
            left.descriptor == right.descriptor && left.offset == right.offset && left.length == right.length
                && left.spool === right.spool
        case (.synthetic(let left), .synthetic(let right)): left == right
        case (.stream(let left), .stream(let right)): left.identity === right.identity
        case (.concatenation(let left), .concatenation(let right)): left == right
        case (.multipart(let left), .multipart(let right)): left == right
        case (.encoded(let left, let encoding), .encoded(let right, let otherEncoding)):
            encoding == otherEncoding && left == right
        default: false
        }
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
