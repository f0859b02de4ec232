import FormworkFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// A POST of a form, as iOS Recipes makes it.
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

    /// Makes a flat object of texts and numbers the body, in its order; members without a name are left out.
    /// - Parameters:
    ///   - parameters: The form's fields.
    ///   - space: `.plus`, as the book's prose and browsers have it, or `.percent`, as its listing has it.
    ///   - compatibility: `.exact` leaves names unescaped.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for what isn't flat.
    public mutating func setFormParameters(
        _ parameters: ParameterValue, space: PercentEncoder.Space = .plus,
        compatibility: Compatibility = .safe
    ) throws(FormworkError) {
        var dialect = URLEncodedDialect.recipes
        dialect.values = dialect.values.space(space)
        if compatibility == .safe { dialect.names = dialect.values }
        self.httpBody = Data(try dialect.encode(parameters).utf8)
    }
}
