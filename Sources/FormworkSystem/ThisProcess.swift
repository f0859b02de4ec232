import CFormworkSystem
import FormworkLibc
import FormworkCore
import SystemPackage

// Unsafe code in this file: this process's own file, arguments and limits.

/// This process: its file, its arguments, its limits and its end.
package enum ThisProcess {
    /// The path of the program's file, with every link followed; `nil` if the system doesn't report it.
    package static var executable: FilePath? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        // SAFETY: the call writes at most as many bytes as the count that is passed.
        let count = unsafe fw_program_path(&buffer, buffer.count)
        guard count > 0 else { return nil }
        let bytes = buffer[..<Int(count)].map { UInt8(bitPattern: $0) }
        return FilePath(String(decoding: bytes, as: UTF8.self))
    }

    /// The arguments, with the program's name first. Swift's own list is empty where `/proc` can't be read.
    package static var arguments: [String] { self.rawArguments.map { String(decoding: $0, as: UTF8.self) } }

    /// The bytes of the arguments.
    package static var rawArguments: [[UInt8]] {
        // SAFETY: argv holds as many C strings as its count, which live as long as the process.
        let (values, count) = unsafe self.argumentList
        return (0..<count).map { index in
            guard let text = unsafe values[index] else { return [] }
            return unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
        }
    }

    private static var argumentList: (values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, count: Int) {
        var count: CInt = 0
        // SAFETY: both lists are those of the system, which live as long as the process.
        if let values = unsafe fw_arguments(&count), count >= 0 { return unsafe (values, Int(count)) }
        return unsafe (CommandLine.unsafeArgv, Int(CommandLine.argc))
    }

    /// Replaces this process by another program with the same arguments. It returns only if that isn't possible.
    package static func replace(by program: FilePath) {
        // SAFETY: the path is a C string during the call, and argv's C strings live as long as the process.
        _ = unsafe program.withPlatformString { unsafe fw_replace($0, self.argumentList.values) }
    }

    /// Exits after the C library's own buffers are written.
    package static func exit(_ status: Int32) -> Never { FormworkLibc.exit(status) }

    /// The number of processors in use.
    package static var cores: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// The most files that may be open; the highest number if there is no limit.
    /// - Parameter wanted: If the limit is lower, it is raised to the highest allowed value.
    package static func fileLimit(atLeast wanted: UInt64) -> UInt64 { fw_file_limit(wanted) }

    /// The most bytes of addresses; the highest number if there is no limit.
    package static var addressLimit: UInt64 { fw_address_limit() }

    /// Starts threads that end at once, to see whether the system allows so many at the same time.
    /// - Parameter count: At most 64.
    package static func tryThreads(_ count: Int) throws(Errno) {
        let result = fw_try_threads(CInt(clamping: count))
        guard result == 0 else { throw Errno(rawValue: -result) }
    }

    /// Whether a thread can be started. Dispatch waits for ever for its first one, and reports nothing.
    package static let canStartThread = (try? Self.tryThreads(1)) != nil

    /// Has SIGQUIT stop the process, unless it is ignored. Swift's runtime catches it, if it finds its program for traces:
    /// then it prints one, and the process continues, or hangs.
    ///
    /// On Darwin, a limit on file sizes becomes an error of the write for the whole process; elsewhere
    /// ``SystemCalls/withoutWriteSignals(to:_:)`` does that for the writing thread.
    package static func prepareSignals() {
        fw_restore_signal(SIGQUIT)
        #if canImport(Darwin)
        fw_ignore_signal(SIGXFSZ)
        #endif
    }

    /// Changes the system's own copy of the arguments, which the list of processes shows. Does nothing if the system
    /// doesn't report where it is.
    /// - Parameter change: Changes the words, without their NULs. A word keeps its length.
    package static func changeArguments(_ change: (inout [[UInt8]]) -> Void) {
        guard let (start, count) = self.argumentPlace,
            let pointer = unsafe UnsafeMutableRawPointer(bitPattern: start)
        else { return }
        // SAFETY: the system reports where this process's arguments are; they are writable and live as long as it.
        let bytes = unsafe UnsafeMutableRawBufferPointer(start: pointer, count: count)
        // Loops and no sequences of other types: the runtime would look up their conformances, at every start.
        var words: [[UInt8]] = [[]]
        for index in 0..<count {
            let byte = unsafe bytes[index]
            if byte == 0 { words.append([]) } else { words[words.count - 1].append(byte) }
        }
        change(&words)
        var index = 0
        for word in words {
            for byte in word where index < count {
                unsafe bytes[index] = byte
                index += 1
            }
            index += 1
        }
    }

    #if canImport(Darwin)
    /// Darwin's arguments are the program's: the kernel reads them from its memory.
    private static var argumentPlace: (start: UInt, count: Int)? {
        // SAFETY: argv holds as many C strings, one after the other, which live as long as the process.
        let (values, count) = unsafe self.argumentList
        guard count > 0, let first = unsafe values[0], let last = unsafe values[count - 1] else { return nil }
        let (start, end) = unsafe (UInt(bitPattern: first), UInt(bitPattern: last) + UInt(strlen(last)))
        return end > start ? (start, Int(end - start)) : nil
    }
    #else
    private static var argumentPlace: (start: UInt, count: Int)? {
        guard let file = try? SystemCalls.open("/proc/self/stat", .readOnly) else { return nil }
        defer { try? SystemCalls.close(file) }
        var bytes: [UInt8] = []
        do throws(Errno) {
            try bytes.append(upTo: 4096) { room throws(Errno) in try SystemCalls.read(file, into: &room) }
        } catch { return nil }
        // proc(5): arg_start and arg_end are fields 48 and 49. The name of the program is in parentheses, and the field
        // after it is the third.
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(whereSeparator: \.isWhitespace)
        guard fields.count > 46, let start = UInt(fields[45]), let stop = UInt(fields[46]), start != 0, stop > start
        else { return nil }
        return (start, Int(clamping: stop - start))
    }
    #endif
}

/// A random word that makes a name unique.
package enum RandomWord {
    /// 64 random bits, in digits and small letters.
    package static func make() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }
}

/// The memory of this process's allocator.
package enum SystemMemory {
    /// Returns free memory to the system, if the C library can do that.
    package static func giveBack() { fw_give_back_memory() }

    /// Has the memory of network buffers kept for the next ones from now on, and freed blocks of 1 MiB and more returned at
    /// once.
    ///
    /// glibc returns every buffer of more than 128 KiB, so that the system fills its pages with zeros again for the next
    /// one: a fifth of the CPU time of an upload. It keeps larger blocks, if blocks of that size were freed before.
    package static func keepNetworkBuffers() { fw_keep_blocks(1 << 20, 4 << 20) }
}
