#if Command
import FormworkMagic
import FormworkSystem
import SystemPackage

/// libmagic's database that is installed with the command. Another system's database may be of another version than the
/// libmagic that is linked into the command.
enum MagicDatabase {
    static func use() {
        LibMagic.useDatabase {
            guard let program = ThisProcess.executable else { return nil }
            let path = program.removingLastComponent().appending("../share/formwork/magic.mgc")
            return (try? SystemCalls.status(of: path)) == nil ? nil : path.string
        }
    }
}
#endif
