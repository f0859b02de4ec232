#if Command
import ArgumentParser
import FormworkCommand

/// `formwork`: every verb but those that need a network, which ``TransferExecutable`` has.
@main
struct FormworkMain: ParsableCommand {
    static let configuration = FormworkVerbs.configuration(
        send: SendEntry.self, receive: ReceiveEntry.self, link: LinkEntry.self)

    static func main() { FormworkVerbs.run(Self.self, beforehand: TransferExecutable.takeOver) }
}

/// An entry in the list of verbs.
struct SendEntry: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "send", abstract: FormworkVerbs.send)
}

/// An entry in the list of verbs.
struct ReceiveEntry: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "receive", abstract: FormworkVerbs.receive)
}

/// An entry in the list of verbs.
struct LinkEntry: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "link", abstract: FormworkVerbs.link)
}
#else
@main
struct FormworkMain {
    static func main() { print("formwork was built without its command: build it with swift build --traits Transfer") }
}
#endif
