import FormworkCore
import FormworkDigests
import Foundation
@testable import FormworkReceiver
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct PageAssetTests {
    private static let sources = Checkout.url("Sources/FormworkReceiver/Page/Resources")

    @Test(arguments: [
        ("page.css", ReceiverPage.styleSheet, "text/css; charset=utf-8"),
        ("page.js", ReceiverPage.script, "text/javascript; charset=utf-8"),
    ])
    func `The served asset is the file`(name: String, asset: PageAsset, contentType: String) throws {
        let file = try Data(contentsOf: Self.sources.appending(path: name))
        #expect(asset.content == [UInt8](file))
        #expect(asset.contentType == contentType)
        let digest = Hex.text(SHA256Digest.digest(of: Array(file)))
        #expect(asset.etag == "\"\(digest.prefix(32))\"")
    }

    @Test func `A client that has the asset gets 304`() async throws {
        try await TestReceiver.run { receiver in
            let etag = ReceiverPage.script.etag
            let first = try await receiver.request("GET /page.js")
            #expect(first.status == 200)
            #expect(first.field("ETag") == etag)
            #expect(first.field("Cache-Control") == "no-cache")
            #expect(first.body == String(decoding: ReceiverPage.script.content, as: UTF8.self))
            for known in [etag, "W/\(etag)", "\"other\", \(etag)", "*"] {
                let again = try await receiver.request("GET /page.js", ["If-None-Match: \(known)"])
                #expect(again.status == 304, "\(known)")
                #expect(again.body.isEmpty)
                #expect(again.field("Content-Length") == nil)
            }
            #expect(try await receiver.request("GET /page.js", ["If-None-Match: \"other\""]).status == 200)
        }
    }

    /// The policy forbids all of these, and file names are put into the page only as text.
    @Test(arguments: [
        "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "sessionStorage",
        "http://", "https://", ".style",
    ])
    func `The script has no need of`(word: String) {
        #expect(!String(decoding: ReceiverPage.script.content, as: UTF8.self).contains(word))
    }

    @Test(arguments: ["url(", "@import"])
    func `The stylesheet loads nothing by`(word: String) {
        #expect(!String(decoding: ReceiverPage.styleSheet.content, as: UTF8.self).contains(word))
    }
}
