#if Transfer
import ArgumentParser
import FormworkReceiver

/// An address block, such as `10.0.0.0/8` or `fd00::/8`, or a single address.
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
