import Foundation
import SystemPackage

enum SystemCheck {
    /// Whether this process has no file under `folder` open.
    static func noneOpen(under folder: FilePath) throws -> Bool {
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return descriptors.allSatisfy { number in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return !(target ?? "").hasPrefix(folder.string)
        }
    }
}
