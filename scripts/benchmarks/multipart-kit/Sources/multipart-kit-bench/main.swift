// multipart-kit, as its documentation says to use it, for scripts/bench.
//
//     multipart-kit-bench parse FILE BOUNDARY CHUNK     MB of a body for each second of CPU time
//     multipart-kit-bench collect FILE BOUNDARY CHUNK   the same, each part's content in one piece
//     multipart-kit-bench order FILE BOUNDARY TIMES     decodes a form of twenty fields that is in memory
import Foundation
import MultipartKit

struct Order: Decodable {
    var street: String
    var house: Int
    var town: String
    var zip: String
    var country: String
    var phone: String?
    var email: String
    var company: String?
    var vat: String?
    var quantity: Int
    var price: Double
    var discount: Double?
    // multipart-kit's Bool knows "true" and "false" only.
    var gift: String
    var express: String
    var insured: String?
    var note: String
    var coupon: String?
    var weight: Double
    var floor: Int?
    var language: String
}

func cpu() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

func parts<Sections: AsyncSequence>(of sections: Sections) async throws -> (parts: Int, bytes: Int)
where Sections.Element == MultipartSection<ArraySlice<UInt8>> {
    var (parts, bytes) = (0, 0)
    for try await section in sections {
        switch section {
        case .headerFields(let fields):
            guard fields[.contentDisposition] != nil else { fatalError("a part without a name") }
            parts += 1
        case .bodyChunk(let chunk): bytes += chunk.count
        case .boundary: break
        }
    }
    return (parts, bytes)
}

let arguments = CommandLine.arguments
let body = [UInt8](try Data(contentsOf: URL(fileURLWithPath: arguments[2])))
let (boundary, number) = (arguments[3], Int(arguments[4])!)

switch arguments[1] {
case "order":
    var sum = 0
    for _ in 0..<number {
        let value = try FormDataDecoder().decode(Order.self, from: body, boundary: boundary)
        sum += value.house + value.quantity + value.note.utf8.count
    }
    print(sum)
default:
    func parse() async throws -> (parts: Int, bytes: Int) {
        let chunks = MemoryChunks(body: body, size: number)
        if arguments[1] == "collect" {
            return try await parts(of: MultipartParserAsyncSequence(boundary: boundary, buffer: chunks))
        }
        return try await parts(of: StreamingMultipartParserAsyncSequence(boundary: boundary, buffer: chunks))
    }
    var found = (parts: 0, bytes: 0)
    var rounds: [Double] = []
    while rounds.count < 5 {
        let start = cpu()
        var runs = 0
        while runs == 0 || cpu() - start < 0.05 {
            found = try await parse()
            runs += 1
        }
        rounds.append((cpu() - start) / Double(runs))
    }
    print("parts \(found.parts)\nbytes \(found.bytes)\nrate \(Int(Double(body.count) / rounds.sorted()[2] / 1e6))")
}
