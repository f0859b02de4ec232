import Foundation
import TestSupport
import Testing

/// What `formwork send` finds before it connects, and what a redirect makes of the exit status.
@Suite("formwork send, before anything is sent", .timeLimit(.minutes(10)))
struct SendBeforehandTests {
    @Test("A 2xx before the whole body is in the report of the failure")
    func earlySuccess() throws {
        let folder = Folder()
        try folder.sparse("file", 32 << 20)
        let listener = try LoopbackListener()
        defer { listener.stop() }
        listener.acceptOne { connection in
            _ = connection.read(upTo: 100)
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            sleep(1)
        }
        let result = try Command.run(
            "send", "http://127.0.0.1:\(listener.port)", "-F", "f=@file", "-H", "Expect:", "--json", in: folder.path)
        #expect(result.status == 55)
        let object = try result.object(as: "send")
        #expect((object["error"] as? String)?.hasPrefix("the server answered 200 before it had all") == true)
        #expect(object["status"] as? Int == 200 && object["http"] as? String == "1.1", "\(result.text)")
        #expect(object["headers"] as? [[String: String]] == [["name": "Content-Length", "value": "2"]])
    }
}
