// What FormworkFoundation uses of Apple's framework of this name, as Apple's documentation declares it.
public struct UTType: Hashable, Sendable {
    public static let data = UTType()
    public init?(filenameExtension: String, conformingTo supertype: UTType = .data) { nil }
    private init() {}
    public var preferredMIMEType: String? { nil }
}
