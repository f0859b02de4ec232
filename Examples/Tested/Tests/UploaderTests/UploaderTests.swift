import FormworkTesting
import Testing
import Uploader
import XCTest

@Test func tenGigabytes() async throws {
    let video = BodySource.synthetic(count: 10 << 30, seed: 7)
    let receiver = try LoopbackReceiver()
    let status = try await Uploader(receiver.url).send(title: "Harbour", video: video)
    #expect(status == 200)
    let form = try receiver.requests[0].form
    #expect(form["title"]?.text == "Harbour")
    #expect(form["video"]?.count == 10_737_418_240)
    #expect(form["video"]?.checksum.hex == "ebd91afb")  // CRC-32C, the same on every machine
}

@Test func overloaded() async throws {
    let receiver = try LoopbackReceiver(answers: [.status(503, fields: ["Retry-After": "0"]), .redirect(to: "/new")])
    let status = try await Uploader(receiver.url).send(title: "Harbour", video: .text("video"))
    #expect(status == 200)
    #expect(receiver.requests.map(\.target) == ["/", "/", "/new"])
    for request in receiver.requests {
        try await expectForm(request, equals: Uploader.form(title: "Harbour", video: .text("video")))
    }
}

@Test func refusedEarly() async throws {
    let receiver = try LoopbackReceiver(answers: [.early(413, after: 1 << 20)])
    let video = BodySource.synthetic(count: 64 << 20)
    let status = try await Uploader(receiver.url).send(title: "Harbour", video: video)
    #expect(status == 413)
}

final class UploaderXCTests: XCTestCase {
    func testConnectionIsLost() async throws {
        let receiver = try LoopbackReceiver(answers: Array(repeating: .reset(after: 1 << 20), count: 3))
        let video = BodySource.synthetic(count: 64 << 20)
        do {
            _ = try await Uploader(receiver.url).send(title: "Harbour", video: video)
            XCTFail("a connection that is reset has no answer")
        } catch {
            XCTAssertEqual(receiver.requests.map(\.isWhole), [false, false, false])
        }
    }

    func testDifference() async throws {
        let form = try await ObservedForm(Uploader.form(title: "Harbour", video: .text("video")).plan())
        do {
            try await expectForm(form, equals: Uploader.form(title: "Harbour at dawn", video: .text("video")))
            XCTFail("the titles differ")
        } catch let difference as FormDifference {
            XCTAssertEqual(
                "\(difference)",
                """
                The form is not the one expected:
                part 1 "title": the content differs from offset 7 on: its end, expected "Harbour at dawn"; it has 7 bytes, expected 15
                """)
        }
    }
}
