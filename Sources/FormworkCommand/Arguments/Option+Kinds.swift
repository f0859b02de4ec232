import ArgumentParser

// Options whose values are of one kind: help shows the kind, and a number may begin with a hyphen.
extension Option {
    /// A time, such as 90s. ArgumentParser itself shows no default of a value that is read by a function.
    package init(wrappedValue: TimeOption, time help: String) where Value == TimeOption {
        self.init(
            wrappedValue: wrappedValue, parsing: .unconditional,
            help: ArgumentHelp("\(help) (default: \(wrappedValue.text))", valueName: "time"),
            transform: TimeOption.read)
    }

    package init(_ name: NameSpecification = .long, time help: String, discussion: String = "")
    where Value == TimeOption? {
        self.init(
            name: name, parsing: .unconditional,
            help: ArgumentHelp(help, discussion: discussion, valueName: "time"), transform: TimeOption.read)
    }

    /// A number of bytes, such as 4G.
    package init(wrappedValue: ByteCount, bytes help: String) where Value == ByteCount {
        self.init(
            wrappedValue: wrappedValue, parsing: .unconditional,
            help: ArgumentHelp("\(help) (default: \(wrappedValue.text))", valueName: "bytes"),
            transform: ByteCount.read)
    }

    /// - Parameter kind: What the help calls the number.
    package init(bytes help: String, kind: String = "bytes") where Value == ByteCount? {
        self.init(parsing: .unconditional, help: ArgumentHelp(help, valueName: kind), transform: ByteCount.read)
    }

    /// A file's path.
    package init(
        _ name: NameSpecification = .long, parsing: SingleValueParsingStrategy = .next, file help: String,
        kind: String = "file", discussion: String = ""
    ) where Value == String? {
        self.init(name, parsing: parsing, value: kind, help, discussion: discussion, completion: .file())
    }

    /// Another value.
    /// - Parameter kind: What the help calls it.
    package init<Single: ExpressibleByArgument>(
        _ name: NameSpecification = .long, parsing: SingleValueParsingStrategy = .next, value kind: String,
        _ help: String, discussion: String = "", completion: CompletionKind? = nil
    ) where Value == Single? {
        self.init(
            name: name, parsing: parsing, help: ArgumentHelp(help, discussion: discussion, valueName: kind),
            completion: completion)
    }
}
