import Formwork
import FormworkFoundation
import FormworkURLEncoded
import FormworkValues
import Foundation

/// Reads Foundation's types from the text that ``FoundationTexts`` writes.
struct FoundationReading: ForeignReading {
    var data: URLEncodedFormEncoder.DataEncoding
    var date: URLEncodedFormEncoder.DateEncoding

    func value<Value: Decodable>(_ type: Value.Type, from source: URLEncodedSource) throws -> Value? {
        if Value.self == Date.self { return try self.date.date(from: source) as? Value }
        if Value.self == Data.self { return try self.data.data(from: source) as? Value }
        if Value.self == Decimal.self { return try Self.decimal(from: source) as? Value }
        if Value.self == URL.self { return try Self.url(from: source) as? Value }
        return nil
    }

    private static func decimal(from source: URLEncodedSource) throws -> Decimal {
        let text = try source.text()
        guard let decimal = Decimal(formText: text) else {
            throw source.unreadable("\"\(text.shortened(to: 40))\" is not a decimal number")
        }
        return decimal
    }

    /// Reads text, or the array of one text that Alamofire writes for a URL.
    private static func url(from source: URLEncodedSource) throws -> URL {
        let text = try source.textOrOnlyElement()
        guard let url = URL(string: text) else { throw source.unreadable("\"\(text.shortened(to: 40))\" is not a URL") }
        return url
    }
}

extension URLEncodedFormEncoder.DataEncoding {
    /// `nil` if `Data` decodes itself.
    fileprivate func data(from source: URLEncodedSource) throws -> Data? {
        switch self {
        case .deferredToData: return nil
        case .base64:
            guard let data = Data(base64Encoded: try source.text()) else {
                throw source.unreadable("this is not Base64 text")
            }
            return data
        case .custom: throw source.refusal("dataEncoding", "a closure can't be reversed")
        }
    }
}

extension URLEncodedFormEncoder.DateEncoding {
    /// `nil` if `Date` decodes itself.
    fileprivate func date(from source: URLEncodedSource) throws -> Date? {
        if case .deferredToDate = self { return nil }
        if case .custom = self { throw source.refusal("dateEncoding", "a closure can't be reversed") }
        let text = try source.text()
        guard let date = self.date(text) else {
            throw source.unreadable("\"\(text.shortened(to: 40))\" is not a valid date")
        }
        return date
    }

    private func date(_ text: String) -> Date? {
        switch self {
        case .secondsSince1970: Double(decimal: text).map { Date(timeIntervalSince1970: $0) }
        case .millisecondsSince1970: Double(decimal: text).map { Date(timeIntervalSince1970: $0 / 1000) }
        case .iso8601: Self.iso8601(text)
        case .formatted(let formatter): formatter.date(from: text)
        case .deferredToDate, .custom: nil
        }
    }

    /// Reads what Foundation writes. By itself Foundation also accepts text after the date, and the 31st of February.
    static func iso8601(_ text: String) -> Date? {
        FormDateFormat.iso8601.secondsSince2001(text).flatMap { _ in try? Date(text, strategy: .iso8601) }
    }
}
