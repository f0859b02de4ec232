/// Appends escaped bytes: the only code that makes them.
///
/// A door to unsafe code: before anything is written there is room for three bytes per byte read, plus the four bytes
/// of a stored table entry.
extension [UInt8] {
    mutating func append(escaping bytes: some Collection<UInt8>, _ encoder: PercentEncoder) {
        let isDone: Void? = bytes.withContiguousStorageIfAvailable {
            unsafe self.append(escaping: $0, encoder)
        }
        guard isDone == nil else { return }
        // A bridged string without contiguous UTF-8.
        unsafe Array(bytes).withUnsafeBufferPointer { unsafe self.append(escaping: $0, encoder) }
    }

    private mutating func append(escaping bytes: UnsafeBufferPointer<UInt8>, _ encoder: PercentEncoder) {
        unsafe encoder.entries.withUnsafeBufferPointer { table in
            self.append(addingCapacity: 3 * bytes.count + 4) { room in
                unsafe room.withUnsafeMutableBufferPointer { room, written in
                    guard let start = UnsafeMutableRawPointer(room.baseAddress) else { return }
                    var output = unsafe start
                    unsafe Self.escape(bytes, table, encoder.plain, &output)
                    written = unsafe output - start
                }
            }
        }
    }

    /// Names and values of many pairs, joined with `=` and `&`: the array grows at most once.
    mutating func append(escaping pairs: [URLEncodedPair], names: PercentEncoder, values: PercentEncoder) {
        let (ampersand, equals) = (1 << 24 | UInt32(0x26), 1 << 24 | UInt32(0x3D))
        let plain = (names: names.plain, values: values.plain)
        let count = pairs.reduce(4) { $0 + 3 * ($1.name.utf8.count + ($1.value?.utf8.count ?? 0)) + 2 }
        unsafe names.entries.withUnsafeBufferPointer { names in
            unsafe values.entries.withUnsafeBufferPointer { values in
                self.append(addingCapacity: count) { room in
                    unsafe room.withUnsafeMutableBufferPointer { room, written in
                        guard let start = UnsafeMutableRawPointer(room.baseAddress) else { return }
                        var output = unsafe start
                        let pairs = pairs.span
                        for index in pairs.indices {
                            if index > 0 { unsafe Self.put(ampersand, &output) }
                            unsafe Self.escape(pairs[index].name, names, plain.names, &output)
                            // Unwrapped in place, and with `@inline(always)`: a value bound to a name or passed to a
                            // function is retained and released, which takes a fifth of the whole time.
                            guard pairs[index].value != nil else { continue }
                            unsafe Self.put(equals, &output)
                            unsafe Self.escape(pairs[index].value!, values, plain.values, &output)
                        }
                        written = unsafe output - start
                    }
                }
            }
        }
    }

    // Swift 6.2 has only the attribute that acts too late to save the retain.
    #if compiler(>=6.3)
    @inline(always)
    #else
    @inline(__always)
    #endif
    private static func escape(
        _ text: String, _ table: UnsafeBufferPointer<UInt32>, _ plain: UInt64,
        _ output: inout UnsafeMutableRawPointer
    ) {
        let isDone: Void? = unsafe text.utf8.withContiguousStorageIfAvailable {
            unsafe escape($0, table, plain, &output)
        }
        guard isDone == nil else { return }
        unsafe Array(text.utf8).withUnsafeBufferPointer { unsafe escape($0, table, plain, &output) }
    }

    /// Copies eight letters or digits at once, and otherwise whole table entries: no branch depends on the content, so
    /// mixed text costs little more than plain text. Excess bytes are overwritten.
    /// - Parameter plain: What ``Swift/UInt64/lettersAndDigits`` is for bytes that are copied.
    @inline(__always)
    private static func escape(
        _ bytes: UnsafeBufferPointer<UInt8>, _ table: UnsafeBufferPointer<UInt32>, _ plain: UInt64,
        _ output: inout UnsafeMutableRawPointer
    ) {
        guard let source = bytes.baseAddress, let entries = table.baseAddress else { return }
        var index = 0
        let count = bytes.count
        while count - index >= 8 {
            let word = unsafe UnsafeRawPointer(source + index).loadUnaligned(as: UInt64.self)
            if word.lettersAndDigits == plain {
                unsafe output.storeBytes(of: word, as: UInt64.self)
                unsafe output += 8
            } else {
                for lane in 0..<8 { unsafe put(entries[Int(source[index + lane])], &output) }
            }
            index += 8
        }
        let rest = count - index
        guard rest > 0 else { return }
        if count >= 8 {
            // The last eight bytes: those already written are letters and digits too, and are written again.
            let word = unsafe UnsafeRawPointer(source + count - 8).loadUnaligned(as: UInt64.self)
            if word.lettersAndDigits == plain {
                unsafe (output + rest - 8).storeBytes(of: word, as: UInt64.self)
                unsafe output += rest
                return
            }
        }
        while index < count {
            unsafe put(entries[Int(source[index])], &output)
            index += 1
        }
    }

    /// Writes a whole entry and advances by its length.
    @inline(__always)
    private static func put(_ entry: UInt32, _ output: inout UnsafeMutableRawPointer) {
        unsafe output.storeBytes(of: entry.littleEndian, as: UInt32.self)
        unsafe output += Int(entry >> 24)
    }
}

extension UInt64 {
    /// The top bit of each byte that is an ASCII letter or digit; 0 if a byte isn't ASCII. With the top bits clear no sum
    /// carries into the next byte, and a sum's top bit shows whether the byte has reached a bound.
    @inline(__always)
    fileprivate var lettersAndDigits: UInt64 {
        guard self & 0x8080_8080_8080_8080 == 0 else { return 0 }
        let lower = self | 0x2020_2020_2020_2020
        let letters = (lower &+ 0x1F1F_1F1F_1F1F_1F1F) & ~(lower &+ 0x0505_0505_0505_0505)
        let digits = (self &+ 0x5050_5050_5050_5050) & ~(self &+ 0x4646_4646_4646_4646)
        return (letters | digits) & 0x8080_8080_8080_8080
    }
}

extension PercentEncoder {
    /// What ``Swift/UInt64/lettersAndDigits`` is for bytes that are copied: all of them letters or digits, or never, for a
    /// caller's set that may not contain letters.
    fileprivate var plain: UInt64 { self.leavesLetters ? 0x8080_8080_8080_8080 : .max }
}
