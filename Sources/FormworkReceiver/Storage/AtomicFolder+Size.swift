import Formwork
import FormworkSystem

extension AtomicFolder {
    /// Bytes of all files in it, or in a folder below it. Links, hidden names, and what can't be opened don't count.
    func size(of folder: String?) -> Int64 {
        Self.size(of: folder.map { $0.split(separator: "/")[...] } ?? [], in: self.descriptor)
    }

    private static func size(of path: ArraySlice<Substring>, in folder: FileDescriptor) -> Int64 {
        func size(below name: String, _ rest: ArraySlice<Substring>) -> Int64 {
            guard let inner = try? SystemCalls.openFolder(name, in: folder) else { return 0 }
            defer { try? SystemCalls.close(inner) }
            return self.size(of: rest, in: inner)
        }
        if let first = path.first { return size(below: String(first), path.dropFirst()) }
        let names = (try? SystemCalls.names(in: folder)) ?? []
        return names.reduce(0) { sum, name in
            guard !name.hasPrefix("."), let status = try? SystemCalls.status(of: name, in: folder) else { return sum }
            if status.kind == .directory { return sum + size(below: name, []) }
            return status.kind == .regular ? sum + status.validator.size : sum
        }
    }
}
