import Foundation
import TestSupport
import Testing

@testable import Formwork
import FormworkSystem

@Suite("A form's publication that was cut short is undone, or brought to its end", .timeLimit(.minutes(10)))
struct FormJournalTests {
    /// How far the publication of one file had come, that replaces `a` or is a new one.
    enum Moment: CaseIterable, Sendable {
        case notBegun, waiting, exchanged, placedWhereNothingWas, linkedAside, movedAside, placedInSteps, placedFree,
            done
    }

    private let folder = TemporaryFolder()

    private func file(_ text: String, in open: AtomicFolder) throws -> AtomicFile {
        let file = try open.makeFile()
        try file.write(Array(text.utf8))
        return file
    }

    /// What a process does up to that moment, and then no more.
    private func leave(_ moment: Moment, _ open: AtomicFolder) throws {
        let file = try self.file("new", in: open)
        defer { file.close() }
        if !open.numbersFiles() {
            // Such file systems may store whole seconds: then size and time of both files are the same.
            for path in ["/proc/self/fd/\(file.descriptor.rawValue)", self.folder.path.appending("a").string] {
                let time = Date(timeIntervalSince1970: 1_700_000_000)
                try? FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
            }
        }
        var journal = try FormJournal(in: open, durably: false)
        journal.add(FormJournal.Identity(try SystemCalls.status(of: file.descriptor).validator, of: file))
        journal.add(
            FormJournal.Destination(path: moment == .placedFree ? "a (1)" : "a", replaces: moment != .placedFree),
            for: 0)
        try journal.write()
        let (slot, spare, place) = (journal.slot(0), journal.spareSlot(0), open.descriptor)
        switch moment {
        case .notBegun: break
        case .waiting: try file.move(to: slot, in: place)
        case .exchanged, .done:
            try file.move(to: slot, in: place)
            try SystemCalls.exchange(slot, with: "a", in: place)
            if moment == .done { try journal.end() }
        case .placedWhereNothingWas:
            SystemCalls.unlink("a", in: place)
            if !open.numbersFiles() {
                journal.add(FormJournal.Destination(path: "a", replaces: false), for: 0)
                try journal.write()
            }
            try file.move(to: "a", in: place)
        case .linkedAside:
            try file.move(to: slot, in: place)
            try SystemCalls.link("a", as: spare, in: place)
        case .movedAside:
            try file.move(to: slot, in: place)
            try SystemCalls.rename("a", to: spare, in: place, replacing: false)
        case .placedInSteps:
            try file.move(to: slot, in: place)
            try SystemCalls.link("a", as: spare, in: place)
            try SystemCalls.rename(slot, to: "a", in: place, replacing: true)
        case .placedFree: try file.move(to: "a (1)", in: place)
        }
        // The process is gone, and its lock with it.
        journal.close()
    }

    @Test("At every moment", arguments: Moment.allCases, [(false, true), (true, true), (true, false)])
    func moments(_ moment: Moment, _ way: (named: Bool, numbersFiles: Bool)) throws {
        // Names aren't exchanged where they are numbered.
        guard way.numbersFiles || moment != .exchanged else { return }
        try self.folder.write("old", to: "a")
        let open = try AtomicFolder(
            self.folder.path, avoidsUnnamedFiles: way.named, numbersFiles: way.numbersFiles)
        try self.leave(moment, open)
        #expect(self.folder.names != ["a"])
        try open.removeLeftovers()
        #expect(self.folder.names == (moment == .placedWhereNothingWas ? [] : ["a"]))
        guard moment != .placedWhereNothingWas else { return }
        #expect(try self.folder.text(of: "a") == (moment == .done ? "new" : "old"))
    }

    @Test("By whoever opens the folder, and by none while it is under way")
    func locks() throws {
        try self.folder.write("old", to: "a")
        let (first, second) = (try AtomicFolder(self.folder.path), try AtomicFolder(self.folder.path))
        let file = try self.file("new", in: first)
        defer { file.close() }
        var journal = try FormJournal(in: first, durably: false)
        journal.add(FormJournal.Identity(try SystemCalls.status(of: file.descriptor).validator, of: file))
        journal.add(FormJournal.Destination(path: "a", replaces: true), for: 0)
        try journal.write()
        try file.move(to: journal.slot(0), in: first.descriptor)
        try SystemCalls.exchange(journal.slot(0), with: "a", in: first.descriptor)
        #expect(try second.removeLeftovers() == 0)
        #expect(try self.folder.text(of: "a") == "new")
        journal.close()
        #expect(try second.removeLeftovers() == 1)
        #expect(try self.folder.text(of: "a") == "old")
        #expect(self.folder.names == ["a"])
    }

    @Test("What others did to the file meanwhile stays")
    func laterFiles() throws {
        let open = try AtomicFolder(self.folder.path)
        try self.folder.write("old", to: "a")
        try self.leave(.exchanged, open)
        let other = try self.file("other", in: open)
        try SystemCalls.link(other.descriptor, as: "b", in: open.descriptor)
        try SystemCalls.rename("b", to: "a", in: open.descriptor, replacing: true)
        other.close()
        try open.removeLeftovers()
        #expect(self.folder.names == ["a"])
        #expect(try self.folder.text(of: "a") == "other")
        // Written to, it is kept, and so is what it had replaced.
        try self.leave(.exchanged, open)
        let again = try SystemCalls.open(self.folder.path.appending("a"), .writeOnly, .append)
        try [UInt8]("+".utf8).withBytes { bytes throws(Errno) in try SystemCalls.writeAll(again, bytes) }
        try SystemCalls.close(again)
        try open.removeLeftovers()
        #expect(self.folder.names == ["a", "a (1)"])
        #expect(try self.folder.text(of: "a") == "new+")
        #expect(try self.folder.text(of: "a (1)") == "other")
    }

    @Test("Where a name, not a file, has an inode number, the old file and another one are kept")
    func numberedNames() throws {
        let open = try AtomicFolder(self.folder.path, avoidsUnnamedFiles: true, numbersFiles: false)
        try self.folder.write("old", to: "a")
        try self.leave(.placedInSteps, open)
        try self.folder.write("another", to: "a")
        try open.removeLeftovers()
        #expect(self.folder.names == ["a", "a (1)"])
        #expect(try self.folder.text(of: "a") == "another")
        #expect(try self.folder.text(of: "a (1)") == "old")
        let published = PublishedFile(
            name: "a (1)", state: try SystemCalls.status(of: "a (1)", in: open.descriptor).validator)
        var moved = published.state
        moved.inode += 1
        try AtomicFolder(self.folder.path).remove(PublishedFile(name: "a (1)", state: moved))
        #expect(self.folder.names == ["a", "a (1)"])
        open.remove(PublishedFile(name: "a (1)", state: moved))
        #expect(self.folder.names == ["a"])
    }

    @Test("Folders that it made go, unless something is in them by now", arguments: [false, true])
    func folders(isUsed: Bool) throws {
        let open = try AtomicFolder(self.folder.path)
        var journal = try FormJournal(in: open, durably: false)
        journal.add(folder: "x")
        journal.add(folder: "x/y")
        try journal.write()
        try SystemCalls.makeFolder("x", in: open.descriptor)
        try open.within(["x"]) { descriptor throws(Errno) in try SystemCalls.makeFolder("y", in: descriptor) }
        if isUsed { try self.folder.write("mine", to: "x/m") }
        journal.close()
        try open.removeLeftovers()
        #expect(self.folder.names == (isUsed ? ["x"] : []))
    }

    /// Names that begin with what is one `Character` with the separator before it.
    static let joined = ["\u{301}a", "\u{200C}a", "\u{FE0F}a", "\u{E31}a b"]

    @Test("Names may begin with a mark, below a folder too", arguments: joined, [nil, "d", "\u{301}d"])
    func marks(_ name: String, _ place: String?) throws {
        let open = try AtomicFolder(self.folder.path)
        if let place { try SystemCalls.makeFolder(place, in: open.descriptor) }
        let (folders, prefix) = (place.map { [$0] } ?? [], place.map { $0 + "/" } ?? "")
        var files: [AtomicFile] = []
        for text in ["old", "new", "other"] { files.append(try self.file(text, in: open)) }
        var journal = try FormJournal(in: open, durably: false)
        for file in files.dropFirst() {
            journal.add(FormJournal.Identity(try SystemCalls.status(of: file.descriptor).validator, of: file))
        }
        journal.add(FormJournal.Destination(path: prefix + name, replaces: true), for: 0)
        journal.add(FormJournal.Destination(path: prefix + name + " (1)", replaces: false), for: 1)
        journal.add(folder: name + "f g")
        try journal.write()
        let (slot, all) = (journal.slot(0), files)
        try open.within(folders) { place throws(Errno) in
            try all[0].move(to: name, in: place)
            try all[1].move(to: slot, in: place)
            try SystemCalls.exchange(slot, with: name, in: place)
            try all[2].move(to: name + " (1)", in: place)
        }
        try SystemCalls.makeFolder(name + "f g", in: open.descriptor)
        let old = try SystemCalls.status(of: files[0].descriptor).validator.inode
        for file in files { file.close() }
        journal.close()
        try open.removeLeftovers()
        // Foundation divides such paths in its own way.
        let (names, inode) = try open.within(folders) { place throws(Errno) in
            (try SystemCalls.names(in: place), try SystemCalls.status(of: name, in: place).validator.inode)
        }
        #expect(names == [name] && inode == old)
        if let place { #expect(try SystemCalls.names(in: open.descriptor) == [place]) }
    }

    @Test("A line that was cut off says nothing, and a file that isn't a journal does no harm")
    func cutOff() throws {
        let open = try AtomicFolder(self.folder.path)
        try self.folder.write("mine", to: "a")
        try self.folder.write(
            "formwork-form 1\nfile 1 2 3 4\nat 0 b\nat 7 a\nat x a\nat 0\nover\ndone", to: ".formwork-form.x")
        try self.folder.write("\u{0}\u{FFFD}", to: ".formwork-form.y")
        try self.folder.write("", to: ".formwork-form.z")
        try open.removeLeftovers()
        #expect(self.folder.names == ["a"])
    }

    /// Others may write into the folder, if not outside it.
    @Test(
        "A planted journal changes nothing outside the folder",
        arguments: ["../OUT/x", "./../OUT/x", "a/../../OUT/x", "OUT", "//OUT/x", "../OUT/."])
    func planted(path: String) throws {
        let outside = TemporaryFolder()
        try outside.file("x", "victim")
        let name = outside.path.lastComponent?.string ?? ""
        let status = try SystemCalls.status(of: outside.path.appending("x")).validator
        let modified = status.modified
        let victim =
            path == "OUT" ? outside.path.appending("x").string : path.replacingOccurrences(of: "OUT", with: name)
        let empty = outside.path.appending("empty").string
        try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: false)
        try self.folder.file(
            ".formwork-form.planted",
            """
            formwork-form 1
            file \(status.inode) \(status.size) \(modified.seconds) \(modified.nanoseconds)
            at 0 \(victim)
            folder ../\(name)/empty
            folder \(empty)

            """)
        _ = try AtomicFolder(self.folder.path).removeLeftovers()
        #expect(try outside.text(of: "x") == "victim")
        #expect(FileManager.default.fileExists(atPath: empty))
    }

    @Test("Another user's journal isn't read", .enabled(if: getuid() == 0))
    func foreign() throws {
        try self.folder.file("a", "theirs")
        let status = try SystemCalls.status(of: self.folder.path.appending("a")).validator
        let modified = status.modified
        let journal = self.folder.path.appending(".formwork-form.planted").string
        try self.folder.file(
            ".formwork-form.planted",
            """
            formwork-form 1
            file \(status.inode) \(status.size) \(modified.seconds) \(modified.nanoseconds)
            at 0 a

            """)
        #expect(chown(journal, 12_345, 12_345) == 0)
        _ = try AtomicFolder(self.folder.path).removeLeftovers()
        #expect(self.folder.names == [".formwork-form.planted", "a"])
        #expect(chown(journal, 0, 0) == 0)
        _ = try AtomicFolder(self.folder.path).removeLeftovers()
        #expect(self.folder.names == [])
    }
}

extension TemporaryFolder {
    fileprivate func write(_ text: String, to name: String) throws {
        _ = try self.file(name, text)
    }

    fileprivate func text(of name: String) throws -> String {
        String(decoding: try contents(of: self.path.appending(name)), as: UTF8.self)
    }
}
