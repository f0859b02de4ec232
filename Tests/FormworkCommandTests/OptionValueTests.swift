@testable import FormworkCommand
import Foundation
import FormworkURLEncoded
import Testing

/// Which options have a value is known before ArgumentParser reads them.
@Suite("Options with a value", .timeLimit(.minutes(10)))
struct OptionValueTests {
    /// The options of a verb, and of those below it, that have a value.
    private static func options(of verb: ParameterValue) -> Set<String> {
        var found: Set<String> = []
        for case .object(let members) in verb["arguments"].elements {
            let argument = ParameterValue.object(members)
            guard argument["kind"].text == "option" else { continue }
            for name in argument["names"].elements {
                guard let text = name["name"].text else { continue }
                found.insert((name["kind"].text == "long" ? "--" : "-") + text)
            }
        }
        return verb["subcommands"].elements.reduce(into: found) { $0.formUnion(Self.options(of: $1)) }
    }

    @Test("All options of all verbs are listed", arguments: ["formwork", "formwork-transfer"])
    func all(program: String) throws {
        let result = try Command.shell("\"${F%formwork}\(program)\" --experimental-dump-help")
        let root = try #require(try OrderedJSON.read(result.output)["command"])
        let options = Self.options(of: root)
        #expect(options.count > 20)
        #expect(options.filter { GivenWords.option($0) == nil } == [])
    }
}

extension ParameterValue? {
    fileprivate var text: String? { if case .text(let text)? = self { text } else { nil } }
    fileprivate var elements: [ParameterValue] { if case .array(let elements)? = self { elements } else { [] } }
}
