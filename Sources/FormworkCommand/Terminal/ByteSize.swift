import Formwork

extension Int64 {
    /// The number of bytes, 0 or more, for people: `612 B`, `1.5 KiB`, `104 MiB`. In powers of 1024, with about three
    /// digits. The receiver's page has the same in its script.
    package var asByteSize: String {
        var value = Double(self)
        var units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"][...]
        // 1023.5 of a unit would be written as 1024 of it.
        while value >= 1023.5, units.count > 1 {
            value /= 1024
            units.removeFirst()
        }
        let unit = units[units.startIndex]
        let tenths = Int64(clamping: (value * 10).rounded())
        let isWhole = unit == "B" || tenths >= 1000
        return isWhole ? "\(Int64(clamping: value.rounded())) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
    }
}
