#if canImport(UniformTypeIdentifiers)
import FormworkCore
import SystemPackage
import UniformTypeIdentifiers

extension MediaTypeDetection {
    /// Uses ``MediaTypeTable``, and for names that it doesn't know the types that the system and its apps declare
    /// (`UTType`). Reads no content. The same name may get another type on another machine.
    public static let byExtensionOrSystem = MediaTypeDetection(headCount: 0) { filename, head in
        let choice = MediaTypeDetection.byExtension.choice(forFilename: filename, head: head)
        guard choice.detector == .none, let suffix = filename.flatMap({ FilePath($0).extension }),
            let type = UTType(filenameExtension: suffix)?.preferredMIMEType
        else { return choice }
        return MediaTypeChoice(type, by: .extension, reason: "extension .\(suffix), as this system declares it")
    }
}
#endif
