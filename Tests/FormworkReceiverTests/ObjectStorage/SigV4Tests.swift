import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import FormworkReceiver

/// Signatures published by Amazon: the examples of the S3 API Reference ("Signature Calculations for the Authorization
/// Header"), and aws-sig-v4-test-suite.
@Suite(.timeLimit(.minutes(10)))
struct SigV4Tests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var method = "GET"
        var path = "/"
        var query: [(name: String, value: String)] = []
        var headers: [(name: String, value: String)] = []
        var payloadHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        var signedHeaders: String
        var signature: String
        var testDescription: String { self.name }

        func value(_ signer: SigV4, _ headers: [(name: String, value: String)], _ timestamp: String) -> String {
            signer.authorization(
                method: self.method, path: self.path, query: SigV4.canonicalQuery(self.query),
                headers: self.headers + headers + [("X-Amz-Date", timestamp)], payloadHash: self.payloadHash,
                timestamp: timestamp)
        }
    }

    static let s3Rows = [
        Row(
            name: "GET Object", path: "/test.txt", headers: [("Range", "bytes=0-9")],
            signedHeaders: "host;range;x-amz-content-sha256;x-amz-date",
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Row(
            name: "PUT Object", method: "PUT", path: "/test%24file.text",
            headers: [("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
            payloadHash: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
            signedHeaders: "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Row(
            name: "GET Bucket Lifecycle", query: [("lifecycle", "")],
            signedHeaders: "host;x-amz-content-sha256;x-amz-date",
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Row(
            name: "List Objects", query: [("prefix", "J"), ("max-keys", "2")],
            signedHeaders: "host;x-amz-content-sha256;x-amz-date",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    @Test("Amazon's examples for S3", arguments: s3Rows)
    func s3(row: Row) {
        let signer = SigV4(
            credentials: AWSCredentials(
                accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
            region: "us-east-1")
        let headers = [("Host", "examplebucket.s3.amazonaws.com"), ("X-Amz-Content-Sha256", row.payloadHash)]
        #expect(
            row.value(signer, headers, "20130524T000000Z")
                == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                + "SignedHeaders=\(row.signedHeaders), Signature=\(row.signature)")
    }

    static let suiteRows = [
        Row(
            name: "get-vanilla", signedHeaders: "host;x-amz-date",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Row(
            name: "get-vanilla-query-order-key-case", query: [("Param2", "value2"), ("Param1", "value1")],
            signedHeaders: "host;x-amz-date",
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        Row(
            name: "get-header-value-trim", headers: [("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")],
            signedHeaders: "host;my-header1;my-header2;x-amz-date",
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
        Row(
            name: "post-vanilla", method: "POST", signedHeaders: "host;x-amz-date",
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        Row(
            name: "post-x-www-form-urlencoded", method: "POST",
            headers: [("Content-Type", "application/x-www-form-urlencoded")],
            payloadHash: "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e",
            signedHeaders: "content-type;host;x-amz-date",
            signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
    ]

    @Test("Amazon's test suite", arguments: suiteRows)
    func suite(row: Row) {
        let signer = SigV4(
            credentials: AWSCredentials(
                accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
            region: "us-east-1", service: "service")
        let value = row.value(signer, [("Host", "example.amazonaws.com")], "20150830T123600Z")
        #expect(value.hasSuffix("SignedHeaders=\(row.signedHeaders), Signature=\(row.signature)"))
    }

    /// The digests of "abc" (FIPS 180-4, by NIST) and of nothing.
    @Test(arguments: [
        ("http", "PUT", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ("http", "PUT", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("https", "PUT", "abc", "UNSIGNED-PAYLOAD"),
        ("https", "PUT", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("https", "POST", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
    func `The content of objects is signed where nothing else protects it`(
        scheme: String, method: String, body: String, expected: String
    ) async throws {
        let storage = try S3Storage(
            from: "s3://bucket",
            environment: [
                "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret",
                "AWS_ENDPOINT_URL_S3": "\(scheme)://store.example",
            ])
        let exchange = storage.client.exchange
        let request = S3Request(
            operation: "x", method: HTTPMethod(rawValue: method), key: "a", body: ByteBuffer(string: body))
        #expect(exchange.signed(request).headers["X-Amz-Content-Sha256"] == [expected])
        #expect(exchange.signsContent == (scheme == "http"))
        await storage.close()
    }

    @Test func `A path is encoded once, as UTF-8, and its slashes stay`() {
        #expect(
            SigV4.encoded("a b/ü+(1)~.txt", keepingSlashes: true) == "a%20b/%C3%BC%2B%281%29~.txt")
        #expect(SigV4.encoded("a/b") == "a%2Fb")
    }

    @Test func `A timestamp is UTC without separators`() {
        #expect(SigV4.timestamp(Date(timeIntervalSince1970: 1_369_353_600.9)) == "20130524T000000Z")
    }

    /// scripts/interop/s3 writes what botocore signs.
    struct Case: Decodable {
        var method: String, path: String, query: [[String]], headers: [[String]], payloadHash: String
        var timestamp: String, region: String, id: String, secret: String, authorization: String,
            queryString: String
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["FORMWORK_SIGV4_CASES"] != nil))
    func `botocore signs the same`() throws {
        let path = try #require(ProcessInfo.processInfo.environment["FORMWORK_SIGV4_CASES"])
        let cases = try JSONDecoder().decode([Case].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(!cases.isEmpty)
        for one in cases {
            let signer = SigV4(
                credentials: AWSCredentials(accessKeyID: one.id, secretAccessKey: one.secret), region: one.region)
            let query = SigV4.canonicalQuery(one.query.map { ($0[0], $0[1]) })
            #expect(query == one.queryString)
            let value = signer.authorization(
                method: one.method, path: SigV4.encoded(one.path, keepingSlashes: true), query: query,
                headers: one.headers.map { ($0[0], $0[1]) }, payloadHash: one.payloadHash, timestamp: one.timestamp)
            #expect(value == one.authorization, "\(one)")
        }
    }
}
