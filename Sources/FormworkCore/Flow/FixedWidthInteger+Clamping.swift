extension FixedWidthInteger {
    /// The integer part of a floating-point number, clamped to this type's range; 0 for NaN.
    ///
    /// Use only this to convert a `Double` to an integer (`scripts/check` checks it), because `Int64(number)` may trap.
    package init(clamping number: Double) {
        // Without `rounded`, which calls libm: the core links nothing.
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
