import FormworkFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// Creates a POST of a form, like iOS Recipes.
    /// - Throws: What ``setFormParameters(_:space:compatibility:)`` throws.
    public init(
        url: URL, formParameters parameters: ParameterValue, space: PercentEncoder.Space = .plus,
        compatibility: Compatibility = .safe
    ) throws(FormworkError) {
        self.init(url: url)
        self.httpMethod = "POST"
        self.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        try self.setFormParameters(parameters, space: space, compatibility: compatibility)
    }

    /// Sets a flat object of texts and numbers as the body, in its order; members without a name are left out.
    /// - Parameters:
    ///   - parameters: The form's fields.
    ///   - space: `.plus`, as in the book's prose and in browsers, or `.percent`, as in its listing.
    ///   - compatibility: `.exact` leaves names unescaped, and writes the last of several members with the same name.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for an object that isn't flat, or has a name twice.
    public mutating func setFormParameters(
        _ parameters: ParameterValue, space: PercentEncoder.Space = .plus,
        compatibility: Compatibility = .safe
    ) throws(FormworkError) {
        var dialect = URLEncodedDialect.recipes
        dialect.values = dialect.values.space(space)
        if compatibility == .safe { (dialect.names, dialect.flattening.duplicates) = (dialect.values, .refuse) }
        self.httpBody = Data(try dialect.encode(parameters).utf8)
    }
}
