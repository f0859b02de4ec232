#if Command
import ArgumentParser

/// An option whose value is one of some words.
package protocol ChoiceOption: ExpressibleByArgument, CaseIterable, RawRepresentable where RawValue == String {}

extension ChoiceOption {
    /// The words. ArgumentParser's own way to find them is an eighth of the time that a verb needs to start.
    package static var allValueStrings: [String] { self.allCases.map { $0.rawValue } }
}
#endif
