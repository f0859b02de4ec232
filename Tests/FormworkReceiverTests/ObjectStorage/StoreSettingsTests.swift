import FormworkCore
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import FormworkReceiver

/// Where the store is, and with which keys.
@Suite(.timeLimit(.minutes(10)))
struct StoreSettingsTests {
    static let keys = ["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "HOME": "/nonexistent"]

    @Test func `Variables give keys, token, region and address`() throws {
        let settings = try AWSSettings(
            environment: Self.keys.merging([
                "AWS_SESSION_TOKEN": "token", "AWS_REGION": "eu-north-1", "AWS_DEFAULT_REGION": "x",
                "AWS_ENDPOINT_URL": "https://a", "AWS_ENDPOINT_URL_S3": "https://b",
            ]) { $1 })
        #expect(
            settings.credentials
                == AWSCredentials(accessKeyID: "id", secretAccessKey: "secret", sessionToken: "token"))
        #expect(settings.region == "eu-north-1")
        #expect(settings.endpoint == "https://b")
    }

    @Test(
        arguments: [
            (["HOME": "/nonexistent"], "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
            (["AWS_ACCESS_KEY_ID": "id"], "AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY isn't: set both"),
            (["AWS_SECRET_ACCESS_KEY": "x"], "AWS_SECRET_ACCESS_KEY is set, but AWS_ACCESS_KEY_ID isn't: set both"),
            (keys, "set AWS_REGION"),
            (
                keys.merging(["AWS_REGION": "eu\r"]) { $1 },
                "the region contains a line break, a blank or a character beyond ASCII"
            ),
            (keys.merging(["AWS_SECRET_ACCESS_KEY": "a\r"]) { $1 }, "AWS_SECRET_ACCESS_KEY contains a line break"),
            (keys.merging(["AWS_SESSION_TOKEN": "t\u{F6}k\n"]) { $1 }, "AWS_SESSION_TOKEN contains a line break"),
            (keys.merging(["AWS_PROFILE": "nope"]) { $1 }, "AWS_PROFILE is nope"),
        ])
    func `A setting that is missing or can't be sent is named`(environment: [String: String], words: String) {
        let error = #expect(throws: FormworkError.self) { try AWSSettings(environment: environment) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains(words) == true)
        #expect(error?.message.contains("t\u{F6}k") == false)
    }

    @Test func `Keys in an address aren't shown`() {
        let endpoint = #expect(throws: FormworkError.self) {
            try S3Address(endpoint: "https://id:SECRET@h/?token=SECRET", region: "r", bucket: "b")
        }
        #expect(
            endpoint?.message == "the object store's address is not http(s)://host[:port]: https://***@h/?token=***")
        let bucket = #expect(throws: FormworkError.self) { try S3Location("s3://id:SECRET@bucket/a") }
        #expect(bucket?.message.hasSuffix("hyphens and underscores: s3://***@bucket/a") == true)
    }

    @Test func `Another store needs no region`() throws {
        let settings = try AWSSettings(environment: Self.keys.merging(["AWS_ENDPOINT_URL": "http://a"]) { $1 })
        #expect(settings.region == "us-east-1")
    }

    /// The store is a receiver, so all that succeeds is TLS.
    @Test func `AWS_CA_BUNDLE is trusted instead of the system's certificates`() async throws {
        let folder = TemporaryFolder()
        let empty = try folder.file("empty.pem", "no certificate")
        try await TestReceiver.run({ try $0.useTLS(folder) }) { receiver in
            let store = Self.keys.merging(["AWS_ENDPOINT_URL": "https://localhost:\(receiver.port)"]) { $1 }
            func failure(_ bundle: FilePath?) async -> String? {
                let variables = bundle.map { ["AWS_CA_BUNDLE": $0.string] } ?? [:]
                do {
                    var options = S3Storage.Options()
                    options.patience.attempts = 1
                    let storage = try S3Storage(
                        from: "s3://bucket", environment: store.merging(variables) { $1 }, options: options)
                    let result = await #expect(throws: S3Error.self) {
                        try await storage.client.openUploads(prefix: "")
                    }
                    await storage.close()
                    return result?.description
                } catch { return error.description }
            }
            #expect(await failure(nil)?.contains("set AWS_CA_BUNDLE to a PEM file") == true)
            #expect(await failure(folder.path.appending("cert.pem"))?.contains("isn't from an object store") == true)
            #expect(await failure(empty)?.contains("AWS_CA_BUNDLE: can't be read as certificates") == true)
            #expect(await failure("/nonexistent")?.contains("AWS_CA_BUNDLE: can't be read as certificates") == true)
        }
    }

    @Test func `A profile is read from both files, and the file of keys goes first`() throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(
            at: home.appendingPathComponent(".aws"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        let config = """
            # comment
            [default]
            region = eu-west-1\r
            [profile  other]
            region=us-west-2
            aws_access_key_id = from-config
            endpoint_url = http://127.0.0.1:1/
            s3 =
                region = nested
            """
        let credentials = """
            [default]
            aws_access_key_id = id0
            aws_secret_access_key = se=cret0
            ; comment
            [other]
            aws_access_key_id=id1
            AWS_SECRET_ACCESS_KEY =  secret1  \n\n
            """
        try config.write(to: home.appendingPathComponent(".aws/config"), atomically: true, encoding: .utf8)
        try credentials.write(
            to: home.appendingPathComponent(".aws/credentials"), atomically: true, encoding: .utf8)
        let plain = try AWSSettings(environment: ["HOME": home.path])
        #expect(plain.credentials == AWSCredentials(accessKeyID: "id0", secretAccessKey: "se=cret0"))
        #expect(plain.region == "eu-west-1")
        let named = try AWSSettings(environment: ["HOME": home.path, "AWS_PROFILE": "other"])
        #expect(named.credentials == AWSCredentials(accessKeyID: "id1", secretAccessKey: "secret1"))
        #expect(named.region == "us-west-2")
        #expect(named.endpoint == "http://127.0.0.1:1/")
    }

    @Test(
        arguments: [
            (
                "https://s3.example.org:443", "bucket", S3Addressing.automatic, "s3.example.org",
                "/bucket/k%20%C3%BC"
            ),
            ("http://127.0.0.1:9000/", "bucket", .automatic, "127.0.0.1:9000", "/bucket/k%20%C3%BC"),
            ("http://[::1]:9000/base", "bucket", .path, "[::1]:9000", "/base/bucket/k%20%C3%BC"),
            ("https://s3.example.org", "bucket", .virtual, "bucket.s3.example.org", "/k%20%C3%BC"),
            (nil, "bucket", .automatic, "bucket.s3.eu-north-1.amazonaws.com", "/k%20%C3%BC"),
            (nil, "a.bucket", .automatic, "s3.eu-north-1.amazonaws.com", "/a.bucket/k%20%C3%BC"),
        ] as [(String?, String, S3Addressing, String, String)])
    func `A bucket is named in the path or in the host`(
        endpoint: String?, bucket: String, addressing: S3Addressing, authority: String, path: String
    ) throws {
        let address = try S3Address(
            endpoint: endpoint, region: "eu-north-1", bucket: bucket, addressing: addressing)
        #expect(address.authority == authority)
        #expect(address.path("k ü") == path)
    }

    @Test(arguments: ["ftp://a", "127.0.0.1:9000", "http://", "https://a/?b=c", "https://user@a"])
    func `An invalid address is refused`(endpoint: String) {
        #expect(throws: FormworkError.self) {
            try S3Address(endpoint: endpoint, region: "r", bucket: "bucket")
        }
    }

    @Test func `A location is a bucket and a prefix`() throws {
        #expect(try S3Location("s3://bucket").prefix == "")
        #expect(try S3Location("s3://bucket/").prefix == "")
        #expect(try S3Location("s3://bucket/a/b c").prefix == "a/b c/")
        #expect(try S3Location("S3://bucket/a/").prefix == "a/")
        #expect(try S3Location("s3://bucket/a/").description == "s3://bucket/a/")
        #expect(try S3Location("s3://bucket/\u{301}a/\u{301}b").prefix.utf8.elementsEqual("\u{301}a/\u{301}b/".utf8))
        #expect(try S3Location("s3://bucket/a").name(ofKey: "a/\u{301}b")?.utf8.elementsEqual("\u{301}b".utf8) == true)
        #expect(try S3Location("s3://bucket/a").name(ofKey: "ab") == nil)
        for wrong in [
            "bucket", "s3://", "s3://ab", "s3://buck et/a", "s3://bucket//a", "s3://bucket/../a", "s3://bück/a",
            "s3://bucket/a/../\u{301}b",
        ] {
            #expect(throws: FormworkError.self, "\(wrong)") { try S3Location(wrong) }
        }
    }

    @Test func `A part size has a store's limits, and grows with a known length`() async throws {
        func storage(_ size: Int) throws -> S3Storage {
            var options = S3Storage.Options()
            options.partSize = size
            return try S3Storage(
                from: "s3://bucket/a", environment: Self.keys.merging(["AWS_REGION": "r"]) { $1 }, options: options)
        }
        #expect(throws: FormworkError.self) { try storage((5 << 20) - 1) }
        let one = try storage(5 << 20)
        #expect(one.partSize(for: nil) == 5 << 20)
        #expect(one.partSize(for: 50_000 << 20) == 5 << 20)
        #expect(one.partSize(for: 50_000 << 20 | 1) == 5 << 20 | 1)
        #expect(one.partSize(for: 1 << 40) == 109_951_163)
        // A Content-Length is the client's, and any number.
        #expect(one.partSize(for: .max) == 5_368_709_120)
        #expect(one.partSize(for: .max - 9_998) == 5_368_709_120)
        #expect(one.partSize(for: 0) == 5 << 20)
        await one.close()
    }

    @Test func `Keys are never shown`() throws {
        let settings = try AWSSettings(environment: Self.keys.merging(["AWS_REGION": "r"]) { $1 })
        #expect("\(settings.credentials)" == "access key id")
    }
}
