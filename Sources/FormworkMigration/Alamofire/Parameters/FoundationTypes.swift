import Formwork
import FormworkFoundation
import FormworkURLEncoded
import FormworkValues
import Foundation

/// Writes Foundation's types as text, and reads them from it.
struct FoundationTypes: ForeignTypes {
    var data: URLEncodedFormEncoder.DataEncoding
    var date: URLEncodedFormEncoder.DateEncoding
    /// Whether URLs are written as text. In Alamofire they encode themselves with numbered keys and become arrays of
    /// one, which are read in any case.
    var writesURLs: Bool

    func leaf<Value: Encodable>(of value: Value) throws -> EncodedLeaf? {
        try self.text(of: value).map { .value(.text($0)) }
    }

    private func text<Value: Encodable>(of value: Value) throws -> String? {
        if Value.self == Date.self, let date = value as? Date { return try self.date.text(of: date) }
        if Value.self == Data.self, let data = value as? Data { return try self.data.text(of: data) }
        if Value.self == Decimal.self, let decimal = value as? Decimal {
            guard !decimal.isNaN else { throw Unwritable("NaN is not a finite number", text: decimal.description) }
            return decimal.description
        }
        if self.writesURLs, Value.self == URL.self, let url = value as? URL {
            guard url.baseURL == nil else {
                throw Unwritable(
                    "a URL with a base would be read as its absoluteURL: pass that", text: url.absoluteString)
            }
            return url.absoluteString
        }
        return nil
    }

    func value<Value: Decodable>(_ type: Value.Type, from decoder: ValueDecoder) throws -> Value? {
        if Value.self == Date.self { return try self.date.date(from: decoder) as? Value }
        if Value.self == Data.self { return try self.data.data(from: decoder) as? Value }
        if Value.self == Decimal.self {
            let text = try decoder.text(Decimal.self)
            return try decoder.parsed(text, "a decimal number") { Decimal(formText: $0) } as? Value
        }
        if Value.self == URL.self {
            let text = try decoder.textOrOnlyElement()
            return try decoder.parsed(text, "a URL") { URL(string: $0) } as? Value
        }
        return nil
    }
}

extension ValueDecoder {
    fileprivate func parsed<Value>(_ text: String, _ what: String, _ parse: (String) -> Value?) throws -> Value {
        guard let value = parse(text) else { throw self.corrupted("\"\(text.shortened(to: 40))\" is not \(what)") }
        return value
    }
}

extension URLEncodedFormEncoder.DataEncoding {
    /// `nil` if `Data` encodes itself.
    fileprivate func text(of data: Data) throws -> String? {
        switch self {
        case .deferredToData: nil
        case .base64: data.base64EncodedString()
        case .custom(let text): try text(data)
        }
    }

    /// `nil` if `Data` decodes itself.
    fileprivate func data(from decoder: ValueDecoder) throws -> Data? {
        switch self {
        case .deferredToData: return nil
        case .base64:
            guard let data = Data(base64Encoded: try decoder.text(Data.self)) else {
                throw decoder.corrupted("this is not Base64 text")
            }
            return data
        case .custom: throw decoder.refusal("dataEncoding", "a closure can't be reversed")
        }
    }
}

extension URLEncodedFormEncoder.DateEncoding {
    /// `nil` if `Date` encodes itself.
    fileprivate func text(of date: Date) throws -> String? {
        switch self {
        case .custom(let text): try text(date)
        case .deferredToDate: nil
        // It is written or refused as a number, because no calendar has such a day.
        case _ where !date.timeIntervalSinceReferenceDate.isFinite: nil
        case .secondsSince1970: String(date.timeIntervalSince1970)
        case .millisecondsSince1970: String(date.timeIntervalSince1970 * 1000)
        case .iso8601: try self.iso8601(date)
        case .formatted(let formatter): formatter.string(from: date)
        }
    }

    /// Rounded to the nearest millisecond, then down to the second, like Alamofire's ISO8601DateFormatter.
    private func iso8601(_ date: Date) throws -> String {
        let seconds = ((date.timeIntervalSince1970 * 1000 + 0.5).rounded(.down) / 1000).rounded(.down)
        let text = Date(timeIntervalSince1970: seconds).formatted(.iso8601)
        // Foundation writes years that it can't read, and other dates than these for the most distant ones.
        let usual = -12_219_292_800.0...253_402_300_799  // 15 October 1582 to the end of 9999
        guard usual.contains(seconds) || self.iso8601(text)?.timeIntervalSince1970 == seconds else {
            throw Unwritable("ISO 8601 has no text for this date", text: text)
        }
        return text
    }

    /// `nil` if `Date` decodes itself.
    fileprivate func date(from decoder: ValueDecoder) throws -> Date? {
        if case .deferredToDate = self { return nil }
        if case .custom = self { throw decoder.refusal("dateEncoding", "a closure can't be reversed") }
        return try decoder.parsed(decoder.text(Date.self), "a valid date") { text in
            switch self {
            case .secondsSince1970: Double(decimal: text).map { Date(timeIntervalSince1970: $0) }
            case .millisecondsSince1970: Double(decimal: text).map { Date(timeIntervalSince1970: $0 / 1000) }
            case .iso8601: self.iso8601(text)
            case .formatted(let formatter): formatter.date(from: text)
            case .deferredToDate, .custom: nil
            }
        }
    }

    /// Reads what Foundation writes. By itself Foundation also accepts text after the date, and the 31st of February.
    private func iso8601(_ text: String) -> Date? {
        FormDateFormat.iso8601.secondsSince2001(text).flatMap { _ in try? Date(text, strategy: .iso8601) }
    }
}
