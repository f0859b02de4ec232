extension FixedWidthInteger {
    /// The whole part of a number of floating point: the nearest there is for one too large or too small, and 0 for NaN.
    ///
    /// The only way from `Double` to an integer here (`scripts/check` looks): `Int64(number)` ends the process instead.
    package init(clamping number: Double) {
        if number.isNaN {
            self = 0
        } else {
            self = Self(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
        }
    }
}
