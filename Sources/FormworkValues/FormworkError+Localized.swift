import Formwork

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension FormworkError: LocalizedError {
    /// What `localizedDescription` gives: ``description``.
    public var errorDescription: String? { self.description }
}
