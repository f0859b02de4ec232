/// Refuses options that are given twice although the command has room for one value. ArgumentParser uses the last one, and
/// what the others name would be lost without a word.
///
/// Options that change how the command works aren't refused: as with curl, the last one counts.
enum SingleValueOption {
    static func check(_ words: GivenWords) throws(ExitStatus) {
        var given: Set<String> = []
        for option in words.items.lazy.filter({ $0.value != nil }).map(\.word) {
            // curl's -o is for one of several URLs, and send has one.
            let row = Advice.row(of: option, in: "once") ?? Advice.row(of: option, in: "once in \(words.verb ?? "")")
            guard let (option, advice) = row else { continue }
            try ExitStatus.refuse(if: !given.insert(option).inserted, "\(option) is given more than once: \(advice)")
        }
    }
}
