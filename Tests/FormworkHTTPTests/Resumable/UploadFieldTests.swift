import FormworkHTTP
@testable import FormworkResumable
import Testing

@Suite(.timeLimit(.minutes(10))) struct UploadFieldTests {
    @Test func limits() throws {
        let limits = try #require(UploadLimits("max-size=1234567890, min-append-size=5;q=1, other=x"))
        #expect(limits == UploadLimits(maxSize: 1_234_567_890, minAppendSize: 5))
        #expect(UploadLimits("max-age=3600")?.maxAge == 3600)
        #expect(UploadLimits("expires=60")?.maxAge == 60)
        #expect(UploadLimits("max-size=1.5") == nil)
        #expect(UploadLimits("max-size=-1") == nil)
        #expect(UploadLimits("max-size=(1 2)") == nil)
        #expect(UploadLimits().fieldValue(for: .v9) == "min-size=0")
        let all = UploadLimits(maxSize: 5, minSize: 4, maxAppendSize: 3, minAppendSize: 2, maxAge: 1)
        #expect(
            all.fieldValue(for: .v8)
                == "max-size=5, min-size=4, max-append-size=3, min-append-size=2, max-age=1")
        #expect(UploadLimits(maxAge: 9).fieldValue(for: .v6) == "expires=9")
    }

    @Test func items() {
        let fields: HTTPFields = [
            .uploadOffset: "25000000", .uploadComplete: "?0", .uploadIncomplete: "?1", .uploadLength: "-1",
            .uploadDraftInteropVersion: "8",
        ]
        #expect(fields.uploadOffset == 25_000_000)
        #expect(fields.isUploadComplete(.v8) == false)
        #expect(fields.isUploadComplete(.v3) == false)
        #expect(fields.uploadLength == nil)
        #expect(fields.interopVersion == .v8)
        #expect(HTTPFields([.init(name: .uploadOffset, value: "1, 2")]).uploadOffset == nil)
        #expect(HTTPFields([.init(name: .uploadComplete, value: "1")]).isUploadComplete(.v8) == nil)
        #expect(HTTPFields([.init(name: .uploadDraftInteropVersion, value: "7")]).interopVersion == nil)
    }

    /// The example of RFC 9530, section 2 and appendix B.1.
    @Test func digests() throws {
        let value = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:"
        let digest = try #require(DigestField(value))
        #expect(digest["sha-256"]?.prefix(3) == [0x44, 0xAF, 0xF4])
        #expect(digest["sha-512"] == nil)
        #expect(digest.fieldValue == value)
        #expect(DigestField("sha-256=abc") == nil)
        #expect(DigestField("") == nil)
        #expect(DigestField.wanted("sha-256=1, sha-512=10, md5=0") == ["sha-512", "sha-256"])
        #expect(DigestField.wanted("sha-256=11") == [])
    }

    /// The example of tus 1.0, and what clients send that isn't.
    @Test func metadata() throws {
        let value = "filename d29ybGRfZG9taW5hdGlvbl9wbGFuLnBkZg==,is_confidential"
        var metadata = try #require(TusMetadata(value))
        #expect(metadata["filename"] == "world_domination_plan.pdf")
        #expect(metadata["is_confidential"] == "")
        #expect(metadata.fieldValue == value)
        metadata["filename"] = "ä"
        #expect(metadata.fieldValue == "is_confidential,filename w6Q=")
        metadata["a b"] = "c"
        #expect(metadata.entries.count == 2)
        // tuspy sends an empty field without metadata.
        #expect(TusMetadata("")?.entries.isEmpty == true)
        for bad in ["a b c", "a YQ==,a YQ==", "a !", ",a", "a YQ==,"] { #expect(TusMetadata(bad) == nil, "\(bad)") }
    }

    /// Fields as long as a head may be: with a search for each member they would take hours.
    @Test func manyMembers() throws {
        let count = 200_000
        let keys = (0..<count).map { "k\($0)" }
        #expect(TusMetadata(keys.joined(separator: ","))?.entries.count == 200_000)
        #expect(TusMetadata((keys + ["k7"]).joined(separator: ",")) == nil)
        #expect(DigestField(keys.map { "\($0)=:YQ==:" }.joined(separator: ", ")) == nil)
        #expect(DigestField.wanted(keys.map { "\($0)=1" }.joined(separator: ",")).isEmpty)
        // Every parser has to accept as many.
        let few = keys.prefix(1_024)
        #expect(DigestField(few.map { "\($0)=:YQ==:" }.joined(separator: ", "))?.values.count == 1_024)
        #expect(DigestField.wanted(few.map { "\($0)=1" }.joined(separator: ",")).count == 1_024)
        #expect(UploadLimits("max-size=1\(few.prefix(256).map { ";\($0)" }.joined())")?.maxSize == 1)
        let parameters = String(repeating: "x", count: 3) + keys.map { ";\($0)" }.joined()
        #expect(HTTPFields([.init(name: .uploadOffset, value: "1\(parameters)")]).uploadOffset == nil)
        #expect(UploadLimits("max-size=1\(keys.map { ";\($0)" }.joined())") == nil)
    }

    /// Dictionaries whose texts and lists have commas, and a member that is repeated (RFC 9651 §3.2).
    @Test func members() {
        #expect(UploadLimits("a=\"x,max-size=1\", max-size=2")?.maxSize == 2)
        #expect(UploadLimits("a=\"\\\",b\", max-size=2")?.maxSize == 2)
        #expect(UploadLimits("a=(1 \"),\" 2);c=\",\" \t, \t max-size=2")?.maxSize == 2)
        #expect(UploadLimits("max-size=1, a, max-size=3")?.maxSize == 3)
        #expect(DigestField("b=:YQ==:, a=:Yg==:, b=:Yw==:")?.values.map(\.algorithm) == ["b", "a"])
        #expect(DigestField("b=:YQ==:, a=:Yg==:, b=:Yw==:")?["b"] == [0x63])
        for bad in ["max-size=1,", ",max-size=1", "max-size=1,,a", "a=\"x, max-size=1", "max-size=1 a"] {
            #expect(UploadLimits(bad) == nil, "\(bad)")
        }
        #expect(UploadLimits("")?.maxSize == nil)
        #expect(UploadLimits("  max-size=1  ")?.maxSize == 1)
    }

    @Test func dates() {
        #expect(HTTPDate.text(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.seconds("Wed, 25 Jun 2014 16:00:00 GMT") == 1_403_712_000)
        #expect(HTTPDate.text(951_782_400) == "Tue, 29 Feb 2000 00:00:00 GMT")
        #expect(HTTPDate.seconds("Tue, 25 Jun 2014 16:00:00 GMT") == nil)
        #expect(HTTPDate.seconds("Sun, 31 Feb 1999 16:00:00 GMT") == nil)
        #expect(HTTPDate.text(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.text(253_402_300_799) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate.text(4_107_542_400) == "Mon, 01 Mar 2100 00:00:00 GMT")
        // RFC 9110's own examples; a recipient accepts all three forms.
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ] {
            #expect(HTTPDate.seconds(text) == 784_111_777, "\(text)")
        }
        for bad in [
            "", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, +6 Nov 1994 08:49:37 GMT", "Wed, 31 Dec 1969 23:59:59 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
        ] {
            #expect(HTTPDate.seconds(bad) == nil, "\(bad)")
        }
    }

    @Test func protocols() {
        for value in [ResumableProtocol.tus, .draft(.v3), .draft(.v8)] {
            #expect(ResumableProtocol(rawValue: value.description) == value)
        }
        #expect(ResumableProtocol(rawValue: "draft-7") == nil)
    }
}
