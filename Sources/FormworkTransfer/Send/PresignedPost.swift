import Formwork
import FormworkCommand
import FormworkURLEncoded

/// A signed S3 POST policy: the form's URL, and the fields that authorize it, as written by boto3's
/// `generate_presigned_post`.
struct PresignedPost {
    let url: String
    /// In the file's order.
    let fields: [(name: String, value: String)]

    init(file: String) throws {
        let bytes = try GivenFile.bytes(of: file, "--presigned \(ShellQuote.quote(file))", limit: 1 << 20)
        let value: ParameterValue
        do { value = try OrderedJSON.read(bytes) } catch { throw Self.refusal("\(file): \(error.message)") }
        guard case .text(let url)? = value["url"], case .object(let members)? = value["fields"] else {
            throw Self.refusal(
                "\(file): write {\"url\": …, \"fields\": {…}}, as boto3's generate_presigned_post does")
        }
        self.url = url
        self.fields = try members.map { member in
            guard case .text(let value) = member.value else {
                throw Self.refusal("\(file): the field \(member.name) is not a text")
            }
            return (member.name, value)
        }
    }

    /// The signed fields, then the form's own, and last its one file as the field `file`. S3 doesn't read fields after
    /// the file.
    func arrange(_ form: FormData) throws -> FormData {
        guard var parts = form.parts else { throw Self.refusal("the parts of a sequence can't be reordered") }
        let files = parts.indices.filter { parts[$0].header.filename != nil }
        guard let file = files.first else {
            throw Self.refusal("the form has no file: give one with -F file=@path, or -F 'file=@-;filename=name'")
        }
        try ExitStatus.refuse(
            if: files.count > 1,
            "--presigned: the form has \(files.count, "file"), and S3 accepts one at a time: send the others separately"
        )
        let name = parts[file].header.name ?? ""
        try ExitStatus.refuse(
            if: file != parts.indices.last, "--presigned: S3 reads no field after the file: put \"\(name)\" last")
        if let twice = parts.first(where: { part in self.fields.contains { $0.name == part.header.name } }) {
            throw Self.refusal("the field \"\(twice.header.name ?? "")\" is signed already: leave it out")
        }
        parts[file].header.name = "file"
        var arranged = FormData(framing: form.framing, types: form.types)
        for field in self.fields { arranged.append(name: field.name, value: field.value) }
        for part in parts { arranged.append(part) }
        return arranged
    }

    private static func refusal(_ text: String) -> ExitStatus {
        ExitStatus(2, "--presigned: \(text)")
    }
}
