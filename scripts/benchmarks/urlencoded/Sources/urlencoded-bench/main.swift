import Foundation
import FormworkURLEncoded

// One peer of scripts/bench's urlencoded section a process: formwork and Foundation.
//
//   urlencoded-bench formwork|foundation PAIRS ENCODED
//
// PAIRS has the plain pairs, with a NUL byte after each name and each value; ENCODED has the same url-encoded. Prints
// MB of input per second of CPU time, one line for each kind of work. First checks that decoding gives the same pairs.

func cpuSeconds() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
    return Double(seconds) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
}

/// The CPU seconds of one run: the median of rounds of a twentieth of a second.
func seconds(_ work: () throws -> Void) rethrows -> Double {
    try work()
    var rounds: [Double] = []
    while rounds.count < 9 {
        let start = cpuSeconds()
        var runs = 0
        repeat {
            try work()
            runs += 1
        } while cpuSeconds() - start < 0.05
        rounds.append((cpuSeconds() - start) / Double(runs))
    }
    return rounds.sorted()[rounds.count / 2]
}

func report(_ work: String, _ bytes: Int, _ seconds: Double) {
    print(work, String(Int(Double(bytes) / seconds / 1e6)))
}

func formwork(_ pairs: [URLEncodedPair], _ size: Int, _ encoded: [UInt8]) throws {
    let dialect = URLEncodedDialect.whatwg
    var rules = URLEncodedParsing()
    rules.limits = .unlimited
    var output: [UInt8] = []
    report(
        "encode", size,
        seconds {
            output.removeAll(keepingCapacity: true)
            dialect.append(pairs, to: &output)
        })
    precondition(output == encoded, "not what the reference encoded")
    var count = 0
    report("slices", encoded.count, try seconds { count = try URLEncodedPairs(encoded, rules: rules).count })
    precondition(count == pairs.count)
    var decoded: [URLEncodedPair] = []
    report("decode", encoded.count, try seconds { decoded = try URLEncodedPairs(encoded, rules: rules).pairs })
    precondition(decoded == pairs, "not the pairs that were encoded")
}

func foundation(_ pairs: [URLEncodedPair], _ size: Int, _ encoded: [UInt8]) {
    let items = pairs.map { URLQueryItem(name: $0.name, value: $0.value) }
    var components = URLComponents()
    var output = ""
    report(
        "encode", size,
        seconds {
            components.queryItems = items
            output = components.percentEncodedQuery ?? ""
        })
    // URLComponents doesn't decode a plus as a space: it reads back the text that it wrote.
    var decoded: [URLQueryItem] = []
    report(
        "decode", output.utf8.count,
        seconds {
            var components = URLComponents()
            components.percentEncodedQuery = output
            decoded = components.queryItems ?? []
        })
    precondition(decoded == items, "not the pairs that were encoded")
}

let arguments = CommandLine.arguments
let data = [UInt8](try Data(contentsOf: URL(fileURLWithPath: arguments[2])))
let texts = data.split(separator: 0, omittingEmptySubsequences: false).dropLast()
    .map { String(decoding: $0, as: UTF8.self) }
let pairs = stride(from: 0, to: texts.count, by: 2).map { URLEncodedPair(texts[$0], texts[$0 + 1]) }
let encoded = [UInt8](try Data(contentsOf: URL(fileURLWithPath: arguments[3])))
switch arguments[1] {
case "formwork": try formwork(pairs, data.count, encoded)
default: foundation(pairs, data.count, encoded)
}
