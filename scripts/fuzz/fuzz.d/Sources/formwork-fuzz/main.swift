@testable import Formwork
import Glibc

// formwork-fuzz TARGET FOLDER [libFuzzer's options and corpora]
//
// FOLDER becomes the working folder: all files that inputs can name are in it.

typealias Entry = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
    _ argc: UnsafeMutablePointer<CInt>,
    _ argv: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>, _ entry: Entry
) -> CInt

func run(_ target: ([UInt8]) -> Void, _ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target(Array(UnsafeBufferPointer(start: data, count: count)))
    return 0
}

// C functions hold no context, so each target has its own.
let entries: [String: Entry] = [
    "grammar": { run(fuzzGrammar, $0, $1) },
    "headers": { run(fuzzHeaders, $0, $1) },
    "encodings": { run(fuzzEncodings, $0, $1) },
    "types": { run(fuzzTypes, $0, $1) },
    "urlencoded": { run(fuzzURLEncoded, $0, $1) },
    "parse": { run(fuzzParse, $0, $1) },
    "receive": { run(fuzzReceive, $0, $1) },
    "descriptions": { run(fuzzDescriptions, $0, $1) },
]

let arguments = CommandLine.arguments
guard arguments.count >= 3, let entry = entries[arguments[1]], chdir(arguments[2]) == 0 else {
    print("usage: formwork-fuzz \(entries.keys.sorted().joined(separator: "|")) FOLDER [libFuzzer's arguments]")
    exit(2)
}
writeFile(named: "a.txt", Array("A file.\r\n".utf8))
writeFile(named: "h", Array(headerFile.utf8))

// Never freed: the driver keeps it.
let vector = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: arguments.count)
let rest = [arguments[0]] + arguments[3...]
for (index, argument) in rest.enumerated() { vector[index] = strdup(argument) }
vector[rest.count] = nil
var (argc, argv) = (CInt(rest.count), vector)
exit(
    withUnsafeMutablePointer(to: &argv) { argv in
        argv.withMemoryRebound(to: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.self, capacity: 1) {
            runFuzzer(&argc, $0, entry)
        }
    })
