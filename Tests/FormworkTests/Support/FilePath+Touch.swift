import Foundation
import SystemPackage
import Testing

extension FilePath {
    /// Sets the file's times, by `touch`: Foundation's dates have no nanoseconds.
    package func touch(_ arguments: String...) throws {
        let process = try Process.run(URL(fileURLWithPath: "/usr/bin/touch"), arguments: arguments + [self.string])
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }
}
