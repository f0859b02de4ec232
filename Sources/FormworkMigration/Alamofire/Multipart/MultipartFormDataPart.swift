import FormworkFoundation
import Foundation

/// One part of a ``MultipartFormData``.
struct MultipartFormDataPart {
    /// Where a form's bytes are written.
    enum Destination {
        case memory, disk
    }

    /// The source of the content.
    enum Content {
        /// Memory or a file: every encoding reads it again.
        case source(BodySource)
        /// A stream that must have its declared length.
        case stream(InputStreamBytes, BodySource)
        /// A stream that is read like in Alamofire.
        case lenientStream(InputStreamBytes)
    }

    var header: PartHeader
    /// The declared number of bytes.
    var length: UInt64
    var content: Content

    init(_ header: PartHeader, _ length: UInt64, _ source: BodySource) {
        self.header = header
        self.length = length
        self.content = .source(source)
    }

    init(_ header: PartHeader, _ length: UInt64, _ stream: InputStream, _ compatibility: Compatibility) {
        self.header = header
        self.length = length
        let stream = InputStreamBytes(stream)
        switch compatibility {
        case .safe: self.content = .stream(stream, .stream(once: stream, length: Int64(clamping: length)))
        case .exact: self.content = .lenientStream(stream)
        }
    }

    var stream: InputStreamBytes? {
        switch self.content {
        case .source: nil
        case .stream(let stream, _), .lenientStream(let stream): stream
        }
    }

    func bodyPart(for destination: Destination) -> BodyPart {
        let source: BodySource =
            switch (self.content, destination) {
            case (.source(let source), _), (.stream(_, let source), _): source
            case (.lenientStream(let stream), .memory):
                .stream(once: stream, length: Int64(clamping: self.length))
            case (.lenientStream(let stream), .disk):
                .stream(once: InputStreamPrefix(stream: stream, remaining: self.length))
            }
        return BodyPart(header: self.header, source: source)
    }
}
