import Formwork

import FormworkEssentials

extension JSONParts: JSONPartCoding {
    package static func json(
        of value: some Encodable, dates: FormDateFormat, userInfo: [CodingUserInfoKey: any Sendable]
    ) throws -> [UInt8] {
        let encoder = JSONEncoder()
        // So that equal values give equal bytes.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.userInfo = userInfo
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            let seconds = date.timeIntervalSinceReferenceDate
            let written = dates.text(secondsSince2001: seconds)
            let number = dates == .iso8601 ? nil : written.flatMap { Decimal(string: $0) }
            // Decimal rounds a number of more than 38 digits.
            guard let text = written, number == nil || number?.description == text else {
                // Foundation traps when it describes a date outside its calendars.
                throw EncodingError.invalidValue(
                    seconds,
                    .init(
                        codingPath: encoder.codingPath,
                        debugDescription: "A Date \(seconds) s after 2001 has no text in this format (dates)."))
            }
            // Numbers are numbers in JSON.
            if let number { try container.encode(number) } else { try container.encode(text) }
        }
        try JSONNesting.check(value, userInfo: userInfo)
        return Array(try encoder.encode(value))
    }

    package static func value<Value: Decodable>(
        _ type: Value.Type, of json: [UInt8], dates: FormDateFormat, userInfo: [CodingUserInfoKey: any Sendable]
    ) throws -> Value {
        let decoder = JSONDecoder()
        decoder.userInfo = userInfo
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text =
                try dates == .iso8601 ? container.decode(String.self) : container.decode(Decimal.self).description
            guard let seconds = dates.secondsSince2001(text) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "\(text.shortened(to: 40)) is not a valid Date.")
            }
            return Date(timeIntervalSinceReferenceDate: seconds)
        }
        return try decoder.decode(type, from: Data(json))
    }
}
