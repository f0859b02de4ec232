import Glibc
import SystemPackage

/// What plain programs in Swift do without Formwork: the references for many fields and files.
enum ByHand {
    private static let boundary = "formwork-bench-boundary-0123456789"
    /// Bytes are written when there are this many.
    private static let batch = 256 << 10

    static func run(_ what: String, _ arguments: [String], isMeasured: Bool) throws {
        guard let count = arguments.lazy.compactMap({ Int($0) }).first else { return }
        switch what {
        case "fields": try self.fields(count, isMeasured: isMeasured)
        case "files": try self.files(FilePath(arguments[0]), count, isMeasured: isMeasured)
        default: try self.plan(FilePath(arguments[0]), count)
        }
    }

    /// Gets each field from a function as two strings, checks its name, and writes a buffer whenever it is full. If the length
    /// is needed, it calls the function before for each.
    private static func fields(_ count: Int, isMeasured: Bool) throws {
        let field: (Int) -> (name: String, value: String) = Self.field
        var length = 0
        for index in 0..<(isMeasured ? count : 0) {
            let (name, value) = field(index)
            try self.check(name)
            length += (index == 0 ? -2 : 0) + self.opening.count + name.utf8.count + self.end.count + value.utf8.count
        }
        var output = Output()
        for index in 0..<count {
            let (name, value) = field(index)
            try self.check(name)
            output.bytes.append(contentsOf: index == 0 ? self.opening.dropFirst(2) : self.opening[...])
            output.bytes.append(contentsOf: name.utf8)
            output.bytes.append(contentsOf: self.end)
            output.bytes.append(contentsOf: value.utf8)
            try output.writeIfFull()
        }
        guard !isMeasured || output.count == length else { throw Failure(reason: "a field changed") }
        try output.close()
    }

    /// Opens each file when its turn comes, reads it after its head, and finds out whether it changed meanwhile. If the length
    /// is needed, it gets each file's status before.
    private static func files(_ folder: FilePath, _ count: Int, isMeasured: Bool) throws {
        let file: (FilePath, Int) -> (name: String, path: FilePath) = Self.file
        var statuses: [stat] = []
        var length: Int64 = 0
        for index in 0..<(isMeasured ? count : 0) {
            let (name, path) = file(folder, index)
            let filename = path.lastComponent?.string ?? ""
            try self.check(name)
            try self.check(filename)
            let status = try self.status(of: path)
            let names = name.utf8.count + filename.utf8.count
            let head = self.opening.count + self.filename.count + self.octets.count + names
            length += Int64(head + (index == 0 ? -2 : 0)) + Int64(status.st_size)
            statuses.append(status)
        }
        var output = Output()
        for index in 0..<count {
            let (name, path) = file(folder, index)
            let filename = path.lastComponent?.string ?? ""
            try self.check(name)
            try self.check(filename)
            output.bytes.append(contentsOf: index == 0 ? self.opening.dropFirst(2) : self.opening[...])
            output.bytes.append(contentsOf: name.utf8)
            output.bytes.append(contentsOf: self.filename)
            output.bytes.append(contentsOf: filename.utf8)
            output.bytes.append(contentsOf: self.octets)
            let descriptor = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
            defer { try? descriptor.close() }
            let before = isMeasured ? statuses[index] : try self.status(of: descriptor)
            self.waitForWrite(to: descriptor, modified: before.st_mtim)
            let size = Int(before.st_size)
            let start = output.bytes.count
            output.bytes += [UInt8](repeating: 0, count: size)
            let count = output.bytes.withUnsafeMutableBytes { all in
                pread(descriptor.rawValue, all.baseAddress! + start, size, 0)
            }
            let after = try self.status(of: descriptor)
            guard count == size, self.isUnchanged(before, after) else {
                throw Failure(reason: "\(path) changed")
            }
            try output.writeIfFull()
        }
        guard !isMeasured || output.count == length else { throw Failure(reason: "a file changed") }
        try output.close()
    }

    private struct Part {
        var name: String
        var path: FilePath
        var filename: String
        var type: String?
        var status: stat?
        var head = 0..<0
        var start: Int64 = 0
    }

    /// Lists files with their names, types, states, heads and places in the body, and prints how many have which type.
    private static func plan(_ folder: FilePath, _ count: Int) throws {
        let file: (FilePath, Int) -> (name: String, path: FilePath) = Self.file
        var types: [String: String] = [:]
        for index in 0..<1_024 { types["x\(index)"] = "text/x-\(index)" }
        types["json"] = "application/json"
        var parts: [Part] = []
        for index in 0..<count {
            let (name, path) = file(folder, index)
            parts.append(Part(name: "f", path: path, filename: name + ".json"))
        }
        var heads: [UInt8] = []
        var length: Int64 = 0
        for index in parts.indices {
            let status = try self.status(of: parts[index].path)
            let filename = parts[index].filename
            try self.check(parts[index].name)
            try self.check(filename)
            let type = filename.lastIndex(of: ".").flatMap { types[String(filename[$0...].dropFirst())] }
            let start = heads.count
            heads.append(contentsOf: self.opening)
            heads.append(contentsOf: parts[index].name.utf8)
            heads.append(contentsOf: self.filename)
            heads.append(contentsOf: filename.utf8)
            heads.append(contentsOf: "\"\r\nContent-Type: ".utf8)
            heads.append(contentsOf: (type ?? "application/octet-stream").utf8)
            heads.append(contentsOf: "\r\n\r\n".utf8)
            parts[index].type = type
            parts[index].status = status
            parts[index].head = start..<heads.count
            parts[index].start = length
            length += Int64(heads.count - start) + Int64(status.st_size)
        }
        var found: [String: Int] = [:]
        for part in parts { found[part.type ?? "none", default: 0] += 1 }
        for (type, count) in found.sorted(by: { $0.key < $1.key }) {
            try FileDescriptor.standardOutput.writeAll("\(type) \(count)\n".utf8)
        }
    }

    // MARK: - Pieces

    private static let opening = Array("\r\n--\(boundary)\r\nContent-Disposition: form-data; name=\"".utf8)
    private static let end = Array("\"\r\n\r\n".utf8)
    private static let filename = Array("\"; filename=\"".utf8)
    private static let octets = Array("\"\r\nContent-Type: application/octet-stream\r\n\r\n".utf8)

    @inline(never)
    private static func field(_ index: Int) -> (name: String, value: String) {
        (numbered("field", index, 7), numbered("value-", index, 14))
    }

    @inline(never)
    private static func file(_ folder: FilePath, _ index: Int) -> (name: String, path: FilePath) {
        let name = numbered("f", index, 5)
        return (name, folder.appending(name))
    }

    private static func check(_ name: String) throws {
        guard !name.utf8.contains(where: { $0 == 0x22 || $0 == 0x5C || $0 == 0x0D || $0 == 0x0A || $0 == 0 }) else {
            throw Failure(reason: "a name with a quote, a backslash, a line end or NUL")
        }
    }

    // MARK: - System calls

    private static func status(of path: FilePath) throws -> stat {
        var status = stat()
        guard path.withPlatformString({ stat($0, &status) }) == 0 else { throw Errno(rawValue: errno) }
        return status
    }

    private static func status(of descriptor: FileDescriptor) throws -> stat {
        var status = stat()
        guard fstat(descriptor.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
        return status
    }

    /// Waits until a write that another program is making has ended: a file system answers this question afterwards.
    private static func waitForWrite(to descriptor: FileDescriptor, modified time: timespec) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        if now.tv_sec - time.tv_sec < 3600 { lseek(descriptor.rawValue, 0, 3 /* SEEK_DATA */) }
    }

    private static func isUnchanged(_ before: stat, _ after: stat) -> Bool {
        before.st_ino == after.st_ino && before.st_dev == after.st_dev && before.st_size == after.st_size
            && before.st_mtim.tv_sec == after.st_mtim.tv_sec && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec
    }

    private struct Output {
        var bytes: [UInt8] = []
        private var written: Int64 = 0

        init() { self.bytes.reserveCapacity(ByHand.batch + 8 << 10) }

        var count: Int64 { self.written + Int64(self.bytes.count) }

        mutating func writeIfFull() throws {
            if self.bytes.count >= ByHand.batch { try self.write() }
        }

        mutating func close() throws {
            self.bytes.append(contentsOf: "\r\n--\(ByHand.boundary)--\r\n".utf8)
            try self.write()
        }

        private mutating func write() throws {
            try FileDescriptor.standardOutput.writeAll(self.bytes)
            self.written += Int64(self.bytes.count)
            self.bytes.removeAll(keepingCapacity: true)
        }
    }
}
