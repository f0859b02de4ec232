#if Transfer
import ArgumentParser
import FormworkCommand
import FormworkTransfer

/// `formwork-transfer`: every verb of `formwork`, with `send`, `receive` and `link`.
@main
struct FormworkTransferMain: ParsableCommand {
    static let configuration = FormworkVerbs.configuration(
        send: SendCommand.self, receive: ReceiveCommand.self, link: LinkCommand.self)

    static func main() {
        FormworkVerbs.run(Self.self) { arguments throws(ExitStatus) in
            if ["send", "receive"].contains(arguments.first) { try SystemLimits.checkThreads() }
        }
    }
}
#else
@main
struct FormworkTransferMain {
    static func main() { print("formwork-transfer was built without the network: swift build --traits Transfer") }
}
#endif
