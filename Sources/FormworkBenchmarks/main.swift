import Formwork
import SystemPackage

// Whole processes that `scripts/bench` times beside its references. Each writes a body to standard output.

let usage = """
    usage: formwork-bench fields COUNT     COUNT fields of 20 bytes, made when their turn comes
           formwork-bench files DIR COUNT  the files f00000, f00001, … of DIR, one part each
           formwork-bench random BYTES     one synthetic part, with its CRC-32C on standard error

    """

/// `number` with `width` digits.
func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}

func makeForm() throws -> FormData {
    FormData(framing: MultipartFraming(boundary: try Boundary("formwork-bench-boundary-0123456789")))
}

func run(_ arguments: [String]) throws -> Bool {
    var form = try makeForm()
    switch (arguments.first, arguments.dropFirst().last.flatMap(Int.init)) {
    case ("fields", let count?):
        form.append(
            PartSequence(count: count) { index in
                BodyPart(name: "field" + padded(index, 7), value: "value-" + padded(index, 14))
            })
        try form.plan().write(to: .standardOutput)
    case ("files", let count?) where arguments.count == 3:
        let folder = FilePath(arguments[1])
        for index in 0..<count {
            let name = "f" + padded(index, 5)
            form.append(name: name, file: folder.appending(name))
        }
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
