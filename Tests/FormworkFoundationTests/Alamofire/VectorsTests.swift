import Foundation
@testable import FormworkMigration
import TestSupport
import Testing

@testable import FormworkFoundation

@Suite("Vectors: Alamofire's rows through Alamofire's interface", .timeLimit(.minutes(10)))
struct AlamofireVectorsTests {
    static func multipart() throws -> [VectorRows.Row] { try VectorRows.rows(of: "alamofire.MultipartFormData") }

    static func headers() throws -> [VectorRows.Row] {
        try ["userAgent", "acceptLanguage", "acceptEncoding", "qualityEncoded"]
            .flatMap { try VectorRows.rows(of: "alamofire.\($0)") }
    }

    @Test("The rows are there")
    func complete() throws {
        let systems = try VectorRow.rows(in: VectorRow.fixtures).compactMap(\.system)
        #expect(systems.count { $0 == "alamofire.MultipartFormData" } == 19)
        #expect(systems.count { $0.hasPrefix("alamofire.accept") || $0.hasSuffix("alamofire.userAgent") } == 3)
        #expect(try Self.multipart().count >= 19)
    }

    @Test("A form comes out as Alamofire has it", arguments: try multipart())
    func exact(row: VectorRows.Row) throws { try MultipartRowRun(row).check(.exact) }

    @Test("A form comes out as Alamofire has it, or safer", arguments: try multipart())
    func safe(row: VectorRows.Row) throws { try MultipartRowRun(row).check(.safe) }

    @Test("A header is written as Alamofire has it", arguments: try headers())
    func header(row: VectorRows.Row) throws { try Self.checkHeader(row) }

    static func checkHeader(_ row: VectorRows.Row) throws {
        try row.understand("expected", "expectedLinux", options: ["platform"])
        let expected = try #require(row.expected as? String)
        let system = row.json["system"] as? String
        if system == "alamofire.userAgent" {
            guard var input = row.json["input"] as? [String: String] else { throw RowNotUnderstood("the input") }
            let agent = HTTPHeader.userAgent(
                executable: input.removeValue(forKey: "executable"), version: input.removeValue(forKey: "version"),
                bundle: input.removeValue(forKey: "bundle"), build: input.removeValue(forKey: "build"),
                system: input.removeValue(forKey: "os") ?? "", library: input.removeValue(forKey: "lib") ?? "")
            guard input.isEmpty else { throw RowNotUnderstood("the input's \(input.keys.sorted())") }
            #expect(agent.value == expected)
            return
        }
        guard let values = row.json["input"] as? [String] else { throw RowNotUnderstood("the input") }
        // Of a user's languages the first six are taken.
        let taken = system == "alamofire.acceptLanguage" ? Array(values.prefix(6)) : values
        #expect(taken.qualityEncoded() == Self.inTenths(expected))
        if system == "alamofire.acceptEncoding", values == ["br", "gzip", "deflate"] {
            #expect(HTTPHeader.defaultAcceptEncoding.value == expected)
        }
    }

    /// A list with its qualities in tenths: Alamofire's sum of doubles gives `q=0.3999999999999999` for some, and 0 for
    /// the eleventh.
    private static func inTenths(_ list: String) -> String {
        list.components(separatedBy: ", ").map { value in
            guard let mark = value.range(of: ";q=", options: .backwards),
                let quality = Double(value[mark.upperBound...])
            else { return value }
            return "\(value[..<mark.upperBound])\(max(1, (quality * 10).rounded()) / 10)"
        }.joined(separator: ", ")
    }
}
