import Foundation
import FormworkFoundation
import FoundationNetworking
import Testing

@Suite(.serialized) struct UploadMeasure {
    func plan(_ count: Int64) throws -> BodyPlan {
        var form = FormData()
        form.append(name: "a", value: "1")
        form.append(name: "z", source: .synthetic(SyntheticBytes(.zeros, count: count)))
        return try form.plan()
    }
    @Test func heads() async throws {
        let server = try UploadServer(["/a": [.status(200)], "/drop": [.status(200), .cut(after: 1), .status(200)], "/e": [.early(413)], "/e2": [.early(200)]])
        let session = URLSession(configuration: .ephemeral)
        for length in [UploadOptions.Length.automatic, .fixed, .chunked] {
            let r = try await session.upload(self.plan(5_000_000), with: URLRequest(url: server.url("/a")), options: UploadOptions(length: length))
            print(String(decoding: r.0, as: UTF8.self), server.requests.last!.head, server.requests.last!.count, try self.plan(5_000_000).contentLength!)
        }
        for path in ["/e", "/e2"] {
            for size in [100, 1_000_000, 50_000_000] as [Int64] {
                for length in [UploadOptions.Length.automatic, .chunked] {
                    do {
                        let r = try await session.upload(self.plan(size), with: URLRequest(url: server.url(path)), options: UploadOptions(length: length))
                        print(path, length, size, r.1.statusCode)
                    } catch { print(path, length, size, error) }
                }
                do {
                    var request = URLRequest(url: server.url(path)); request.httpMethod = "POST"
                    let r = try await session.upload(for: request, from: Data(count: Int(size)))
                    print(path, "Data", size, (r.1 as! HTTPURLResponse).statusCode)
                } catch { print(path, "Data", size, error) }
            }
        }
    }
    @Test func dead() async throws {
        for size in [100, 5_000_000] as [Int64] {
            for way in ["fixed", "chunked", "data"] {
                let server = try UploadServer(["/a": [.status(200)], "/drop": [.cut(after: -1), .status(200)]])
                let config = URLSessionConfiguration.ephemeral
                config.timeoutIntervalForRequest = 5
                let session = URLSession(configuration: config)
                _ = try await session.upload(self.plan(10), with: URLRequest(url: server.url("/a")))
                do {
                    if way == "data" {
                        var request = URLRequest(url: server.url("/drop")); request.httpMethod = "POST"
                        let r = try await session.upload(for: request, from: Data(count: Int(size)))
                        print("dead", way, size, (r.1 as! HTTPURLResponse).statusCode)
                    } else {
                        let r = try await session.upload(self.plan(size), with: URLRequest(url: server.url("/drop")), options: UploadOptions(length: way == "fixed" ? .fixed : .chunked))
                        print("dead", way, size, r.1.statusCode)
                    }
                } catch { print("dead", way, size, error) }
                print(server.requests.map { "\($0.line) \($0.fields("content-length")) \($0.count) \($0.isWhole)" })
            }
        }
    }
}
