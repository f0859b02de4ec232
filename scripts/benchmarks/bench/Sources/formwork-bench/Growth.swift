import Formwork
import SystemPackage

// How cost grows, as `scripts/bench --only growth` asks for it: the CPU time of work of a given size.

/// Work whose size can be chosen.
enum GrowingWork: String, CaseIterable {
    /// Fields that are put into a form, planned and read.
    case compose
    /// Fields of 16 bytes, parsed in chunks of 64 KiB; and collected as a form.
    case parse, form
    /// Fields of 16 bytes, of which 100 are found by seeking.
    case seek
    /// Files of a folder, planned and read.
    case files
    /// Levels of nested forms, each with 25 fields: planned and read; described; as curl's arguments; read with a check.
    case levels, describe, curl, check
    /// Levels of nested forms, each with 25 fields, of which 100 places are found by seeking.
    case seekLevels = "seek-levels"
}

func fields(_ count: Int) throws -> FormData {
    var form = try makeForm()
    for index in 0..<count { form.append(name: numbered("field", index, 7), value: numbered("value-", index, 10)) }
    return form
}

func nested(_ levels: Int) throws -> FormData {
    var form = FormData()
    for level in 0..<levels {
        var outer = FormData()
        for index in 0..<25 { outer.append(name: numbered("field", index, 7), value: numbered("value-", level, 10)) }
        if level > 0 { outer.append(BodyPart(name: "inner", multipart: form)) }
        form = outer
    }
    return form
}

/// Here, and not on another thread, as `plan()` would do it in an asynchronous function.
func planned(_ form: FormData) throws -> BodyPlan { try form.plan() }

func readThrough(_ plan: BodyPlan, checksFraming: Bool = false) throws -> Int {
    let reader = try plan.makeReader(options: ReaderOptions(checksFraming: checksFraming))
    var count = 0
    while true {
        let bytes = try reader.read(upTo: 1 << 16)
        if bytes.isEmpty { return count }
        count += bytes.count
    }
}

/// 100 places of a body, from its end to its start.
func seekThrough(_ plan: BodyPlan) throws -> Int {
    let reader = plan.makeReader()
    let length = plan.contentLength ?? 0
    var count = 0
    for place in (0..<100).reversed() {
        try reader.seek(to: length / 100 * Int64(place))
        count += try reader.read(upTo: 1).count
    }
    return count
}

extension GrowingWork {
    /// The CPU seconds of one run, and what it found.
    func measure(_ size: Int, folder: FilePath?) async throws -> (seconds: Double, found: Findings) {
        func found(_ count: Int) -> Findings { Findings(parts: size, bytes: count) }
        switch self {
        case .compose: return try await measured { found(try readThrough(try planned(try fields(size)))) }
        case .parse, .form:
            let body = try planned(try fields(size)).makeReader().collect(upTo: .max)
            let parser = MultipartParser(
                boundary: try Boundary("formwork-bench-boundary-0123456789"), limits: .none)
            return try await measured {
                if self == .parse { return try findings(byMachine: parser, in: body, 1 << 16) }
                let chunks = MemoryChunks(body: body, size: 1 << 16)
                return try await findings(byForm: ReceivedParts(chunks, parser: parser))
            }
        case .seek:
            let plan = try planned(try fields(size))
            return try await measured { found(try seekThrough(plan)) }
        case .files:
            guard let folder else { throw Failure(reason: "give the folder of the files") }
            return try await measured {
                var form = try makeForm()
                for index in 0..<size {
                    let name = numbered("f", index, 5)
                    form.append(name: name, file: folder.appending(name))
                }
                return found(try readThrough(try planned(form)))
            }
        case .levels:
            let form = try nested(size)
            return try await measured { found(try readThrough(try planned(form))) }
        case .describe:
            let plan = try planned(try nested(size))
            return try await measured {
                _ = try await plan.describe()
                return found(Int(plan.contentLength ?? 0))
            }
        case .curl:
            let plan = try planned(try nested(size))
            return try await measured { found(try plan.curlArguments().count) }
        case .check:
            let plan = try planned(try nested(size))
            return try await measured { found(try readThrough(plan, checksFraming: true)) }
        case .seekLevels:
            let plan = try planned(try nested(size))
            return try await measured { found(try seekThrough(plan)) }
        }
    }
}
