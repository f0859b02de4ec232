import FormworkCore
import FormworkEssentials

/// The settings in the usual AWS variables and files: keys, region, and the store's address and certificates.
///
/// Variables take precedence over files. Keys that have to be fetched (from a role of a machine or container, a web
/// identity, or single sign-on) are not supported: `aws configure export-credentials --format env` exports them as
/// variables.
struct AWSSettings: Sendable {
    var credentials: AWSCredentials
    var region: String
    /// The store's address; `nil` for Amazon's own.
    var endpoint: String?
    /// A PEM file of the certificates that are trusted instead of the system's; `nil` for the system's.
    var certificates: String?

    /// - Throws: ``FormworkError/Code/invalidArgument`` if a setting is missing; the message names what to set.
    init(environment: [String: String]) throws(FormworkError) {
        func variable(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        let name = variable("AWS_PROFILE", "AWS_DEFAULT_PROFILE")
        let profile = try AWSProfile(name: name ?? "default", environment: environment)
        if let name, profile.settings.isEmpty {
            throw FormworkError(
                .invalidArgument,
                "AWS_PROFILE is \(name), but there is no such profile in ~/.aws/credentials or ~/.aws/config")
        }
        self.endpoint = variable("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") ?? profile["endpoint_url"]
        self.certificates = variable("AWS_CA_BUNDLE") ?? profile["ca_bundle"]
        let set = try Self.keys("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN") { variable($0) }
        let stored = try Self.keys("aws_access_key_id", "aws_secret_access_key", "aws_session_token") {
            profile[$0]
        }
        guard let credentials = set ?? stored else {
            throw FormworkError(
                .invalidArgument,
                "no keys for the object store: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE to a "
                    + "profile of ~/.aws/credentials that has them")
        }
        self.credentials = credentials
        if let region = variable("AWS_REGION", "AWS_DEFAULT_REGION") ?? profile["region"] {
            try Self.check(region, "the region")
            self.region = region
        } else if self.endpoint != nil {
            self.region = "us-east-1"  // The default region of other stores.
        } else {
            throw FormworkError(.invalidArgument, "no region for the object store: set AWS_REGION")
        }
    }

    /// A header field that isn't valid would make each request fail, and would be shown in the error.
    private static func check(_ text: String, _ name: String) throws(FormworkError) {
        guard text.utf8.allSatisfy({ 0x21..<0x7F ~= $0 }) else {
            throw FormworkError(
                .invalidArgument,
                "\(name) contains a line break, a blank or a character beyond ASCII: copy it without these")
        }
    }

    private static func keys(
        _ id: String, _ secret: String, _ token: String, _ value: (String) -> String?
    ) throws(FormworkError) -> AWSCredentials? {
        guard let key = value(id), let secretKey = value(secret) else {
            let (set, missing) = value(id) == nil ? (secret, id) : (id, secret)
            guard value(set) == nil else {
                throw FormworkError(.invalidArgument, "\(set) is set, but \(missing) isn't: set both")
            }
            return nil
        }
        let sessionToken = value(token)
        for (text, name) in [(key, id), (sessionToken ?? "", token)] { try Self.check(text, name) }
        // It isn't sent, and stores have secrets of other characters, but a line end at its end isn't one of them.
        guard !secretKey.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw FormworkError(.invalidArgument, "\(secret) contains a line break: copy it without that")
        }
        return AWSCredentials(accessKeyID: key, secretAccessKey: secretKey, sessionToken: sessionToken)
    }
}

/// One profile of `~/.aws/credentials` and `~/.aws/config`.
struct AWSProfile: Sendable {
    private(set) var settings: [String: String] = [:]

    /// - Throws: ``FormworkError/Code/sourceUnavailable`` if a file exists but can't be read.
    init(name: String, environment: [String: String]) throws(FormworkError) {
        let home = environment["HOME"] ?? ""
        let config = environment["AWS_CONFIG_FILE"] ?? "\(home)/.aws/config"
        let credentials = environment["AWS_SHARED_CREDENTIALS_FILE"] ?? "\(home)/.aws/credentials"
        // The credentials file comes last because it takes precedence.
        self.merge(try Self.text(of: config), section: name == "default" ? ["default"] : ["profile \(name)"])
        self.merge(try Self.text(of: credentials), section: [name])
    }

    subscript(name: String) -> String? { self.settings[name].flatMap { $0.isEmpty ? nil : $0 } }

    private static func text(of path: String) throws(FormworkError) -> String {
        guard FileManager.default.fileExists(atPath: path) else { return "" }
        do { return try String(contentsOfFile: path, encoding: .utf8) } catch {
            throw FormworkError(.sourceUnavailable, "can't be read", path: path, cause: error)
        }
    }

    /// Reads `[name]`, then one `key = value` per line; `#` and `;` begin comments. Indented lines belong to the line
    /// above (the nested settings of `s3 =`) and are ignored.
    private mutating func merge(_ text: String, section names: Set<String>) {
        var isInside = false
        for line in text.split(whereSeparator: \.isNewline) {
            guard let first = line.first, !first.isWhitespace, first != "#", first != ";" else { continue }
            if first == "[" {
                let words = line.dropFirst().prefix { $0 != "]" }.split(whereSeparator: \.isWhitespace)
                isInside = names.contains(words.joined(separator: " "))
            } else if isInside, let equals = line.firstIndex(of: "=") {
                let (name, value) = (line[..<equals].utf8, line[line.index(after: equals)...].utf8)
                self.settings[String(Substring(name.trimmingBlanks)).lowercased()] =
                    String(Substring(value.trimmingBlanks))
            }
        }
    }
}
