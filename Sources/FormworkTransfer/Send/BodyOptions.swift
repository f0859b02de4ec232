import ArgumentParser
import Formwork
import FormworkCommand
import FormworkURLEncoded

/// Bodies that aren't multipart forms: a file as it is, url-encoded parameters, JSON. And parameters in the URL.
struct BodyOptions: ParsableArguments {
    @Option(
        [.customShort("T"), .long], parsing: .unconditional, file: "Send this file, or '-', as the body, with PUT.")
    var uploadFile: String?

    // GivenData takes these before ArgumentParser sees them, because their order counts.
    @Option(
        name: [.customShort("d"), .long],
        help: ArgumentHelp("Send data as curl does, also --data-urlencode etc.", valueName: "data"),
        completion: FileWord.completion)
    var data: [String] = []

    @Option(
        name: [.customLong("data-raw"), .customLong("data-binary"), .customLong("data-urlencode")],
        help: ArgumentHelp(valueName: "data", visibility: .hidden))
    var otherData: [String] = []

    @Option(parsing: .unconditional, value: "json", "Send this JSON, or @FILE.", completion: FileWord.completion)
    var dataJson: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Add name=value to the URL, escaped.", valueName: "data"))
    var urlQuery: [String] = []

    @Option(value: "post.json", "A signed S3 POST policy, as from boto3.", completion: .file(extensions: ["json"]))
    var presigned: String?

    func validate() throws { try GivenPath.check(["-T": self.uploadFile]) }

    /// The body, and the filename if the body is a single file.
    struct Body {
        var plan: BodyPlan
        var filename: String?
        var isJSON = false
    }

    /// The most bytes of parameters and JSON.
    private static let limit = 256 << 20

    private var hasData: Bool { !GivenData.ofThisProcess.isEmpty }

    /// Whether these options give a body.
    var givesBody: Bool { self.uploadFile != nil || self.hasData || self.dataJson != nil }

    /// The body that these options give; `nil` if there is a form.
    func body(_ form: FormOptions) throws -> Body? {
        let given = [
            form.isGiven ? "-F" : nil, self.uploadFile == nil ? nil : "-T", self.hasData ? "-d" : nil,
            self.dataJson == nil ? nil : "--data-json",
        ].compactMap(\.self)
        try ExitStatus.refuse(
            if: given.count > 1, "\(given.joined(separator: " and ")) each make a whole body: use only one")
        if let uploadFile { return try self.body(ofFile: uploadFile, form) }
        if let dataJson { return try self.body(ofJSON: dataJson, form) }
        guard self.hasData else { return nil }
        let bytes = Array(try self.pieces().joined(separator: [UInt8(ascii: "&")]))
        let type = try form.contentType(of: nil, otherwise: "application/x-www-form-urlencoded")
        return Body(plan: try BodyPlan(content: .bytes(bytes), contentType: type))
    }

    /// The parameters of all options, in the order of the command line.
    private func pieces() throws -> [[UInt8]] {
        try GivenData.ofThisProcess.map { option, text in
            if option == "--data-urlencode" { return try Self.escaped(text, .form, option) }
            guard option != "--data-raw", let file = text.fileAfterSign else { return Array(text.utf8) }
            let bytes = try Self.read(file, option)
            return option == "-d" ? bytes.filter { ![0x00, 0x0A, 0x0D].contains($0) } : bytes
        }
    }

    private func body(ofFile path: String, _ form: FormOptions) throws -> Body {
        try CommandInputs.note(path, for: "-T \(ShellQuote.quote(path))", isPart: true)
        guard path != "-" else {
            let type = try form.contentType(of: nil)
            return Body(plan: try BodyPlan(content: .descriptor(.standardInput), contentType: type))
        }
        do {
            let type = try form.contentType(of: path)
            let plan = try BodyPlan(content: .file(try FilePath(ofFile: path)), contentType: type)
            return Body(plan: plan, filename: FilePath(path).lastComponent?.string)
        } catch let error as FormworkError {
            var error = error
            (error.part, error.path) = (nil, nil)
            if error.message.hasSuffix(FormworkError.streamAdvice) {
                error.message.removeLast(FormworkError.streamAdvice.count)
                error.message += "write cat \(ShellQuote.quote(path)) | formwork send … -T -"
            }
            throw ExitStatus(error).about("-T \(ShellQuote.quote(path))")
        }
    }

    private func body(ofJSON text: String, _ form: FormOptions) throws -> Body {
        let bytes = try text.fileAfterSign.map { try Self.read($0, "--data-json") } ?? Array(text.utf8)
        do { try OrderedJSON.check(bytes) } catch {
            throw ExitStatus(2, "--data-json: \(error.message)")
        }
        let type = try form.contentType(of: nil, otherwise: "application/json")
        return Body(plan: try BodyPlan(content: .bytes(bytes), contentType: type), isJSON: true)
    }

    /// The URL with the parameters, and with the file's name if it ends in a slash.
    /// - Parameter addsName: Whether the server learns the file's name from the URL. With tus it is in the metadata.
    func complete(_ url: String, addsName: Bool) throws -> String {
        var url = url
        var fragment = ""
        // By bytes: a delimiter and a combining mark after it are one Character.
        if let hash = url.utf8.firstIndex(of: UInt8(ascii: "#")) {
            fragment = String(url[hash...])
            url = String(url[..<hash])
        }
        if addsName, let path = self.uploadFile, path != "-", let name = FilePath(path).lastComponent?.string {
            let query = url.utf8.firstIndex(of: UInt8(ascii: "?")) ?? url.endIndex
            var place = String(url[..<query])
            let start = place.utf8.authorityStart ?? place.startIndex
            if !place.utf8[start...].contains(UInt8(ascii: "/")) { place += "/" }
            if place.utf8.last == UInt8(ascii: "/") { place += PercentEncoder.rfc3986.encode(name) }
            url = place + url[query...]
        }
        for text in self.urlQuery {
            let bytes =
                text.utf8.first == UInt8(ascii: "+")
                ? Array(text.utf8.dropFirst()) : try Self.escaped(text, .rfc3986, "--url-query")
            url +=
                (url.utf8.contains(UInt8(ascii: "?")) ? (url.hasSuffix("?") || url.hasSuffix("&") ? "" : "&") : "?")
                + String(decoding: bytes, as: UTF8.self)
        }
        return url + fragment
    }

    /// curl's grammar: the first '=' decides, and '@' only without one.
    private static func escaped(_ text: String, _ encoder: PercentEncoder, _ option: String) throws -> [UInt8] {
        // By bytes: a sign and a combining mark after it are one Character.
        let bytes = text.utf8
        guard let sign = bytes.firstIndex(of: UInt8(ascii: "=")) ?? bytes.firstIndex(of: UInt8(ascii: "@")) else {
            return encoder.encode(Array(bytes))
        }
        let (name, rest) = (text[..<sign], text[bytes.index(after: sign)...])
        let content = bytes[sign] == UInt8(ascii: "@") ? try Self.read(rest, option, name: name) : Array(rest.utf8)
        let head = name.isEmpty ? [] : encoder.encode(Array(name.utf8)) + [UInt8(ascii: "=")]
        return head + encoder.encode(content)
    }

    /// - Parameter name: What is before the `@`.
    static func read(_ path: Substring, _ option: String, name: Substring = "") throws -> [UInt8] {
        guard !path.isEmpty else { throw ExitStatus(2, "\(option): the path is empty") }
        let shown = "\(option) \(ShellQuote.quote("\(name)@\(path)"))"
        return try GivenFile.bytes(of: String(path), shown, limit: Self.limit, tooLarge: "send a larger body with -T")
    }
}
