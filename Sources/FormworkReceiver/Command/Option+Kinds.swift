import ArgumentParser
import FormworkCommand

// Options whose values are of one kind: help shows the kind, and a number may begin with a hyphen.
extension Option {
    /// A time, such as 90s.
    init(wrappedValue: TimeOption, time help: String) where Value == TimeOption {
        self.init(
            wrappedValue: wrappedValue, parsing: .unconditional, help: ArgumentHelp(help, valueName: "time"),
            transform: TimeOption.read)
    }

    init(time help: String) where Value == TimeOption? {
        self.init(
            parsing: .unconditional, help: ArgumentHelp(help, valueName: "time"), transform: TimeOption.read)
    }

    /// A number of bytes, such as 4G.
    init(wrappedValue: ByteCount, bytes help: String) where Value == ByteCount {
        self.init(
            wrappedValue: wrappedValue, parsing: .unconditional, help: ArgumentHelp(help, valueName: "bytes"),
            transform: ByteCount.read)
    }

    init(bytes help: String) where Value == ByteCount? {
        self.init(
            parsing: .unconditional, help: ArgumentHelp(help, valueName: "bytes"), transform: ByteCount.read)
    }

    /// A file's path.
    init(file help: String) where Value == String? {
        self.init(help: ArgumentHelp(help, valueName: "file"), completion: .file())
    }
}
