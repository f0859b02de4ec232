import FormworkFoundation
import Foundation

/// One part of a ``MultipartFormData``.
struct MultipartFormDataPart {
    /// Where a form's bytes are written.
    enum Destination {
        case memory, disk
    }

    /// The declared number of bytes.
    let length: UInt64
    /// The stream that is read once; `nil` for memory or a file, which every encoding reads again.
    let stream: InputStreamBytes?
    private let header: PartHeader
    private let source: (Destination) -> BodySource

    init(_ header: PartHeader, _ length: UInt64, _ source: BodySource) {
        (self.header, self.length, self.stream) = (header, length, nil)
        self.source = { _ in source }
    }

    init(_ header: PartHeader, _ length: UInt64, _ stream: InputStream, _ compatibility: Compatibility) {
        let bytes = InputStreamBytes(stream)
        (self.header, self.length, self.stream) = (header, length, bytes)
        let count = Int64(clamping: length)
        switch compatibility {
        case .safe:
            let once = BodySource.stream(once: bytes, length: count)
            self.source = { _ in once }
        // A stream of any length, of which Alamofire writes the declared bytes to a disk.
        case .exact:
            self.source = { destination in
                switch destination {
                case .memory: .stream(once: bytes, length: count)
                case .disk: .stream(once: InputStreamPrefix(stream: bytes, remaining: length))
                }
            }
        }
    }

    func bodyPart(for destination: Destination) -> BodyPart {
        BodyPart(header: self.header, source: self.source(destination))
    }
}
