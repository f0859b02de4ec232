@testable import FormworkReceiver
import Testing

/// The state object, which anyone who may write to the bucket can change.
@Suite(.timeLimit(.minutes(10)))
struct BucketStateTests {
    private static func state(fence: String = "1", bytes: String = #"{"parts":[]}"#, more: String = "") -> [UInt8] {
        Array(#"{"fence":\#(fence),"record":"","place":"kept","bytes":\#(bytes)\#(more)}"#.utf8)
    }

    private static func map(
        _ files: String, _ position: String = #"{"count":100,"place":"end","held":"","isFile":false}"#
    )
        -> [UInt8]
    { Self.state(bytes: #"{"parts":[],"map":{"files":[\#(files)],"position":\#(position)}}"#) }

    @Test(arguments: [
        state(), state(bytes: #"{"parts":[{"key":"a","count":5}],"tail":{"key":"b","count":1}}"#),
        state(more: #","mark":{"parts":3}"#), map(#"{"start":10,"end":20},{"start":20,"end":100}"#),
    ])
    func `A state that can be is read`(object: [UInt8]) { #expect(BucketState(object) != nil) }

    @Test(arguments: [
        state(fence: "9223372036854775807"), state(fence: "-1"),
        state(bytes: #"{"parts":[{"key":"a","count":9223372036854775807},{"key":"b","count":1}]}"#),
        state(bytes: #"{"parts":[{"key":"a","count":0}]}"#),
        state(bytes: #"{"parts":[],"tail":{"key":"b","count":-1}}"#),
        state(more: #","mark":{"parts":-1}"#), state(more: #","mark":{"parts":0,"files":-1}"#),
        state(more: #","mark":{"parts":0,"tail":{"key":"b","count":-1}}"#),
        map(#"{"start":20,"end":10}"#), map(#"{"start":10,"end":30},{"start":20,"end":40}"#),
        map(#"{"start":10,"end":101}"#), map(#"{"start":-1,"end":10}"#),
        map("", #"{"count":10,"place":"content","held":"","isFile":true,"content":-9223372036854775808}"#),
        map("", #"{"count":1,"place":"content","held":"QUJD","isFile":true}"#),
    ])
    func `A state whose numbers can't be is none, and ends no receiver`(object: [UInt8]) {
        #expect(BucketState(object) == nil)
    }
}
