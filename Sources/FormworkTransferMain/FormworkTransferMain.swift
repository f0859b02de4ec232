import ArgumentParser
import FormworkCommand
import FormworkReceiver
import FormworkTransfer

/// `formwork-transfer`: every verb of `formwork`, with `send`, `receive` and `link`.
@main
struct FormworkTransferMain: ParsableCommand {
    static let configuration = FormworkVerbs.configuration(
        send: SendCommand.self, receive: ReceiveCommand.self, link: LinkCommand.self)

    static let _errorPrefix = "formwork: "

    static func main() {
        FormworkVerbs.run(Self.self) { arguments throws(ExitStatus) in
            if ["send", "receive"].contains(arguments.first) { try SystemLimits.checkThreads() }
        }
    }
}
