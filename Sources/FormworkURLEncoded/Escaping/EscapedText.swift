/// Url-encoded text as it is written: the one place where escaped bytes are made.
///
/// This is the door to unsafe code in this module. Every store is preceded by `reserve`, whose capacity covers the
/// longest a piece can become (three bytes for one) and the four bytes that a table's entry is stored as.
@safe struct EscapedText: ~Copyable {
    /// What is written, up to `count`; behind it lies room.
    private var storage: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    /// Room for `capacity` bytes: when that is right, nothing is moved again.
    init(capacity: Int) {
        self.capacity = capacity + 16
        unsafe self.storage = .allocate(capacity: self.capacity)
    }

    deinit { unsafe self.storage.deallocate() }

    var bytes: [UInt8] { unsafe Array(UnsafeBufferPointer(start: self.storage, count: self.count)) }
    var string: String {
        unsafe String(decoding: UnsafeBufferPointer(start: self.storage, count: self.count), as: UTF8.self)
    }

    /// A copy of what was written from `start` on.
    func bytes(_ range: Range<Int>) -> [UInt8] {
        precondition(range.lowerBound >= 0 && range.upperBound <= self.count)
        return unsafe Array(UnsafeBufferPointer(start: self.storage + range.lowerBound, count: range.count))
    }

    /// What was written in `range`, as text.
    func string(_ range: Range<Int>) -> String {
        precondition(range.lowerBound >= 0 && range.upperBound <= self.count)
        return unsafe String(
            decoding: UnsafeBufferPointer(start: self.storage + range.lowerBound, count: range.count), as: UTF8.self)
    }

    /// Appends once more what was written in `range`.
    mutating func append(copyOf range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= self.count)
        self.reserve(range.count)
        unsafe (self.storage + self.count).update(from: self.storage + range.lowerBound, count: range.count)
        self.count += range.count
    }

    /// Which of two ranges comes first, byte by byte: negative, 0 or positive.
    func order(_ left: Range<Int>, _ right: Range<Int>) -> Int {
        precondition(left.lowerBound >= 0 && left.upperBound <= self.count)
        precondition(right.lowerBound >= 0 && right.upperBound <= self.count)
        for offset in 0..<min(left.count, right.count) {
            let (mine, other) = unsafe (
                self.storage[left.lowerBound + offset], self.storage[right.lowerBound + offset]
            )
            if mine != other { return Int(mine) - Int(other) }
        }
        return left.count - right.count
    }

    mutating func removeLast(_ count: Int) {
        precondition(count >= 0 && count <= self.count)
        self.count -= count
    }

    private mutating func reserve(_ more: Int) {
        guard self.capacity - self.count < more + 16 else { return }
        let capacity = max(2 * self.capacity, self.count + more + 16)
        let storage = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        unsafe storage.update(from: self.storage, count: self.count)
        unsafe self.storage.deallocate()
        unsafe (self.storage, self.capacity) = (storage, capacity)
    }

    mutating func append(_ byte: UInt8) {
        self.reserve(1)
        unsafe self.storage[self.count] = byte
        self.count += 1
    }

    private mutating func append(entry: UInt32) {
        for place in 0..<(entry >> 24) { self.append(UInt8(truncatingIfNeeded: entry >> (8 * place))) }
    }

    /// Appends bytes as they are.
    mutating func append(raw bytes: [UInt8]) {
        self.reserve(bytes.count)
        unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return }
            unsafe (self.storage + self.count).update(from: base, count: bytes.count)
        }
        self.count += bytes.count
    }

    mutating func append(_ bytes: [UInt8], _ encoder: PercentEncoder) {
        self.reserve(3 * bytes.count)
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe encoder.entries.withUnsafeBufferPointer { unsafe self.escape($0, bytes) }
        }
    }

    mutating func append(_ text: String, _ encoder: PercentEncoder) {
        guard encoder.leavesLetters else { return text.utf8.forEach { self.append(entry: encoder.entries[Int($0)]) } }
        var text = text
        unsafe encoder.entries.withUnsafeBufferPointer { entries in
            text.withUTF8 { bytes in
                self.reserve(3 * bytes.count)
                unsafe self.escape(entries, bytes)
            }
        }
    }

    /// Names and values of many pairs, joined by `=` and `&`.
    mutating func append(
        _ pairs: some Sequence<URLEncodedPair>, names: PercentEncoder, values: PercentEncoder
    ) {
        unsafe names.entries.withUnsafeBufferPointer { names in
            unsafe values.entries.withUnsafeBufferPointer { values in
                for pair in pairs {
                    var (name, value) = (pair.name, pair.value)
                    name.withUTF8 { bytes in
                        self.reserve(3 * bytes.count + 2)
                        if self.count > 0 {
                            unsafe self.storage[self.count] = 0x26
                            self.count += 1
                        }
                        unsafe self.escape(names, bytes)
                    }
                    value?.withUTF8 { bytes in
                        self.reserve(3 * bytes.count + 1)
                        unsafe self.storage[self.count] = 0x3D
                        self.count += 1
                        unsafe self.escape(values, bytes)
                    }
                }
            }
        }
    }

    static func string(_ text: String, _ encoder: PercentEncoder) -> String {
        var output = EscapedText(capacity: 3 * text.utf8.count)
        output.append(text, encoder)
        return output.string
    }

    /// Writes each byte's entry, whole, and goes on by its length: no branch depends on the content, so mixed text
    /// costs what plain text does. What a longer entry writes too far is overwritten by the next.
    @inline(__always)
    private mutating func escape(_ entries: UnsafeBufferPointer<UInt32>, _ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress, let table = entries.baseAddress else { return }
        var output = unsafe UnsafeMutableRawPointer(self.storage + self.count)
        var index = 0
        let count = bytes.count
        while index < count {
            // Eight letters or digits at once; other bytes that stand go by the table.
            if count - index >= 8 {
                let block = unsafe UnsafeRawPointer(source + index).loadUnaligned(as: SIMD8<UInt8>.self)
                let letters = ((block | 0x20) &- 0x61) .< 26
                let digits = (block &- 0x30) .< 10
                if all(letters .| digits) {
                    unsafe output.storeBytes(of: block, as: SIMD8<UInt8>.self)
                    unsafe output += 8
                    index += 8
                    continue
                }
                for lane in 0..<8 {
                    let entry = unsafe table[Int(source[index + lane])]
                    unsafe output.storeBytes(of: entry.littleEndian, as: UInt32.self)
                    unsafe output += Int(entry >> 24)
                }
                index += 8
                continue
            }
            let entry = unsafe table[Int(source[index])]
            unsafe output.storeBytes(of: entry.littleEndian, as: UInt32.self)
            unsafe output += Int(entry >> 24)
            index += 1
        }
        self.count = unsafe output - UnsafeMutableRawPointer(self.storage)
    }
}
