import Foundation
import SystemPackage

/// This process's descriptors, as the kernel lists them.
enum OpenDescriptors {
    /// Those of one file or folder.
    static func of(_ path: FilePath) throws -> [CInt] {
        let manager = FileManager.default
        let path = URL(fileURLWithPath: path.string).resolvingSymlinksInPath().path
        return try manager.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { number in
            let target = try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return target == path ? CInt(number) : nil
        }
    }
}
