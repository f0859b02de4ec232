import Formwork
import FormworkMagic
import Glibc
import SystemPackage

// Whole processes that `scripts/bench` times beside its references. Each writes a body to standard output.

let usage = """
    usage: formwork-bench fields COUNT     COUNT fields of 20 bytes, made when their turn comes
           formwork-bench files DIR COUNT  the files f00000, f00001, … of DIR, one part each
           fields and files: --unmeasured makes every part once, without a length beforehand.
           formwork-bench types DIR COUNT HOW  the types of those files, with HOW one of: name (by the table, opening
                  nothing), plan (a form of them, planned), auto (name and content); prints how many of each
           formwork-bench parse FILE HOW BOUNDARY CHUNK  the multipart body in a file, in chunks of CHUNK bytes, HOW
                  one of: machine, async, pieces, form (MB for each second of CPU time), disk (read once)
           formwork-bench grow WORK SIZE [DIR]  the CPU nanoseconds of work of that size, with WORK one of:
                  \(GrowingWork.allCases.map(\.rawValue).joined(separator: ", ")); DIR has the files for `files`

    """

struct Failure: Error {
    var reason: String
}

/// `prefix` and `number` with `width` digits, made in place: the engine is to be measured, not string concatenation.
func numbered(_ prefix: StaticString, _ number: Int, _ width: Int) -> String {
    // Every byte of the capacity asked for is written, all of them ASCII.
    String(unsafeUninitializedCapacity: prefix.utf8CodeUnitCount + width) { buffer in
        let start = buffer.baseAddress!
        start.update(from: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
        var rest = UInt32(number)
        var digit = start + buffer.count
        for _ in 0..<width {
            digit -= 1
            digit.pointee = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        return buffer.count
    }
}

func makeForm() throws -> FormData {
    FormData(framing: MultipartFraming(boundary: try Boundary("formwork-bench-boundary-0123456789")))
}

/// Prints what the work returns, and exits. The work runs on the pool that all tasks share.
func answer(_ work: sending @escaping () async throws -> String) -> Never {
    Task {
        do {
            try FileDescriptor.standardOutput.writeAll(try await work().utf8)
            exit(0)
        } catch {
            _ = try? FileDescriptor.standardError.writeAll("\(error)\n".utf8)
            exit(1)
        }
    }
    // An asynchronous main program would end the main thread, which takes longer than most of the work.
    while true { pause() }
}

func run(_ arguments: [String]) throws -> Bool {
    var form = try makeForm()
    let isMeasured = !arguments.contains("--unmeasured")
    let arguments = arguments.filter { $0 != "--unmeasured" }
    switch (arguments.first, arguments.dropFirst().last.flatMap(Int.init)) {
    case ("fields", let count?):
        form.append(
            PartSequence(count: count, isMeasured: isMeasured) { index in
                BodyPart(name: numbered("field", index, 7), value: numbered("value-", index, 14))
            })
        try form.plan().write(to: .standardOutput)
    case ("files", let count?) where arguments.count == 3:
        let folder = FilePath(arguments[1])
        form.append(
            PartSequence(count: count, isMeasured: isMeasured) { index in
                let name = numbered("f", index, 5)
                return BodyPart(name: name, file: folder.appending(name))
            })
        try form.plan().write(to: .standardOutput)
    case ("types", nil) where arguments.count == 4:
        guard let count = Int(arguments[2]) else { return false }
        let (folder, how) = (FilePath(arguments[1]), arguments[3])
        let types = how == "plan" ? try countPlannedTypes(folder, count) : try countTypes(folder, count, how)
        for (type, count) in types.sorted(by: { $0.key < $1.key }) {
            try FileDescriptor.standardOutput.writeAll("\(type) \(count)\n".utf8)
        }
    case ("parse", let size?) where arguments.count == 5:
        answer { try await parse(arguments[1], how: arguments[2], boundary: arguments[3], chunkSize: size) }
    case ("grow", _) where arguments.count >= 3:
        guard let work = GrowingWork(rawValue: arguments[1]), let size = Int(arguments[2]) else { return false }
        let folder = arguments.count > 3 ? FilePath(arguments[3]) : nil
        answer {
            let (seconds, found) = try await work.measure(size, folder: folder)
            return "parts \(found.parts)\nbytes \(found.bytes)\nnanoseconds \(Int(seconds * 1e9))\n"
        }
    default: return false
    }
    return true
}

/// How many of the files f00000, f00001, … have which type, as if their names ended in `.json`.
func countTypes(_ folder: FilePath, _ count: Int, _ how: String) throws -> [String: Int] {
    var types: [String: Int] = [:]
    for index in 0..<count {
        let name = numbered("f", index, 5)
        let filename = name + ".json"
        let type =
            how == "name"
            ? MediaTypeTable.mediaType(forFilename: filename)
            : try MediaTypeDetection.auto.choice(of: .file(folder.appending(name)), filename: filename).mediaType
        types[type ?? "none", default: 0] += 1
    }
    return types
}

/// The same of a form that is planned. A plan doesn't list its types, so they are counted when they are chosen.
func countPlannedTypes(_ folder: FilePath, _ count: Int) throws -> [String: Int] {
    // Only this thread counts.
    nonisolated(unsafe) var types: [String: Int] = [:]
    var form = try makeForm()
    form.types = MediaTypeDetection(headCount: 0) { filename, head in
        let choice = MediaTypeDetection.byExtension.choice(forFilename: filename, head: head)
        types[choice.mediaType ?? "none", default: 0] += 1
        return choice
    }
    for index in 0..<count {
        let name = numbered("f", index, 5)
        form.append(name: "f", file: folder.appending(name), filename: name + ".json")
    }
    _ = try form.plan()
    return types
}

if try !run(Array(CommandLine.arguments.dropFirst())) {
    try FileDescriptor.standardError.writeAll(usage.utf8)
}
