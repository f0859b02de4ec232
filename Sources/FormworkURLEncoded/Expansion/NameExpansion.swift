import FormworkCore

/// How names become a tree of values again.
public enum NameExpansion: String, CaseIterable, Sendable {
    /// Not at all: an object with the names as they are, each as often as it stands in the text.
    case flat
    /// `a[b]` is a member, `a[]` the next element; members named `0`, `1`, … in order are an array.
    case brackets
    /// `a.b` is a member, `a[]` the next element, `a[0]` the one of that index.
    case dots
    /// As PHP's `parse_str`: as ``brackets``, later values overwrite earlier ones, and dots and spaces in names become
    /// underscores.
    case php

    /// Makes a tree of pairs; all values are text, or null where there is no `=` and `missing` says so.
    /// - Throws: ``FormworkError/Code/limitExceeded`` for names that nest deeper than `limits` allows.
    public func expand(
        _ pairs: some Sequence<URLEncodedPair>, missing: ParameterValue = .text(""),
        limits: URLEncodedLimits = URLEncodedLimits()
    ) throws(FormworkError) -> ParameterValue {
        switch self {
        case .flat:
            return .object(pairs.map { .init($0.name, $0.value.map(ParameterValue.text) ?? missing) })
        case .brackets, .dots, .php:
            throw FormworkError(.invalidArgument, "not built yet")
        }
    }
}
