import Formwork

/// A form of twenty fields.
package struct Order: Codable, Sendable {
    package var street: String
    package var house: Int
    package var town: String
    package var zip: String
    package var country: String
    package var phone: String?
    package var email: String
    package var company: String?
    package var vat: String?
    package var quantity: Int
    package var price: Double
    package var discount: Double?
    package var gift: Bool
    package var express: Bool
    package var insured: Bool?
    package var note: String
    package var coupon: String?
    package var weight: Double
    package var floor: Int?
    package var language: String
}
