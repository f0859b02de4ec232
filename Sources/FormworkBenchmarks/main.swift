import Formwork
import SystemPackage

// Whole processes that `scripts/bench` times beside its references. Each writes a body to standard output.

let usage = """
    usage: formwork-bench fields COUNT     COUNT fields of 20 bytes, made when their turn comes
           formwork-bench files DIR COUNT  the files f00000, f00001, … of DIR, one part each
           Both: --unmeasured makes every part once, without a length beforehand.
           formwork-bench random BYTES     one synthetic part, with its CRC-32C on standard error

    """

/// `prefix` and `number` with `width` digits, made in place: the engine is to be measured, not string concatenation.
func numbered(_ prefix: StaticString, _ number: Int, _ width: Int) -> String {
    // SAFETY: every byte of the capacity asked for is written, all of them ASCII.
    unsafe String(unsafeUninitializedCapacity: prefix.utf8CodeUnitCount + width) { buffer in
        unsafe buffer.baseAddress!.update(from: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
        var rest = UInt32(number)
        var index = buffer.count
        while index > prefix.utf8CodeUnitCount {
            index -= 1
            unsafe buffer[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        return buffer.count
    }
}

func makeForm() throws -> FormData {
    FormData(framing: MultipartFraming(boundary: try Boundary("formwork-bench-boundary-0123456789")))
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
    case ("random", let count?):
        form.append(name: "data", source: .synthetic(SyntheticBytes(.random(seed: 1), count: Int64(count))))
        let reader = try form.plan().makeReader(options: ReaderOptions(digests: [CRC32C()]))
        try reader.write(to: .standardOutput)
        try FileDescriptor.standardError.writeAll((reader.digestValues?.first?.hex ?? "none").utf8)
    default: return false
    }
    return true
}

if try !run(Array(CommandLine.arguments.dropFirst())) {
    try FileDescriptor.standardError.writeAll(usage.utf8)
}
