import Formwork

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension FormworkError: LocalizedError {
    /// The text of `localizedDescription`: ``description``.
    public var errorDescription: String? { self.description }
}
