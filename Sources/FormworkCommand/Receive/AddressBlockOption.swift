#if Transfer
import ArgumentParser
import FormworkReceiver

/// Addresses: `10.0.0.0/8`, `fd00::/8`, or one.
struct AddressBlockOption: ExpressibleByArgument {
    let block: AddressBlock

    init?(argument: String) {
        guard let block = AddressBlock(argument) else { return nil }
        self.block = block
    }
}

/// Whose files the page lists.
struct ListOption: ExpressibleByArgument {
    let scope: ListScope

    init?(argument: String) {
        guard let scope = ListScope(rawValue: argument) else { return nil }
        self.scope = scope
    }

    static var allValueStrings: [String] { ListScope.allCases.map(\.rawValue) }
}
#endif
