#if Transfer
extension Int64 {
    /// The number, 0 or more, as a readable size: `1 byte`, `1023 bytes`, `1.5 KiB`. The page's script writes the same.
    package var asByteCount: String {
        guard self >= 1024 else { return self == 1 ? "1 byte" : "\(self) bytes" }
        let units = ["KiB", "MiB", "GiB", "TiB", "PiB"]
        var (index, tenths) = (0, Self.tenths(of: 1024, in: self))
        // 1023.95 of a unit is written as 1.0 of the next one, not as 1024.0.
        while tenths >= 10240, index + 1 < units.count {
            index += 1
            tenths = Self.tenths(of: 1 << (10 * (index + 1)), in: self)
        }
        return "\(tenths / 10).\(tenths % 10) \(units[index])"
    }

    /// Tenths of a unit, rounded to the nearest; split so that nothing overflows.
    private static func tenths(of unit: Int64, in count: Int64) -> Int64 {
        count / unit * 10 + (count % unit * 10 + unit / 2) / unit
    }
}
#endif
