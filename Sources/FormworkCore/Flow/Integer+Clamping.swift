extension FixedWidthInteger {
    /// The whole part of a number of floating point: the nearest there is for one too large or too small, and 0 for NaN.
    ///
    /// The only way from `Double` to an integer here (`scripts/check` looks): `Int64(number)` ends the process instead.
    package init(clamping number: Double) {
        // Not by `rounded`, which is a call of libm: the core links nothing.
        if number.isNaN {
            self = 0
        } else if number >= Double(Self.max) {
            self = .max
        } else if number <= Double(Self.min) {
            self = .min
        } else {
            self = Self(number)
        }
    }
}
