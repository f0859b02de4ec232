@testable import Formwork

/// The elements of a header section, from any input.
///
/// The first byte chooses; the rest is cut at U+001F into name, filename, type, multipart type, boundary and lines.
func fuzzHeaders(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    var dice = Dice(input)
    let texts = input.dropFirst().split(separator: 0x1F, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
    func text(_ index: Int) -> String? { index < texts.count ? texts[index] : nil }

    for text in texts {
        checkBoundary(text)
        checkMultipartType(text)
    }
    let fields = texts.dropFirst(5).compactMap(checkField)
    checkSection(
        PartHeader(
            disposition: [.formData, .formData, .attachment, nil][Int(choice & 3)], name: text(0),
            filename: choice & 4 == 0 ? text(1) : nil, contentType: choice & 8 == 0 ? text(2) : nil,
            transferEncoding: choice & 16 == 0 ? nil : .eightBit, fields: fields),
        ParameterEscaping.allCases[Int(choice >> 5) % ParameterEscaping.allCases.count], &dice)
    if let type = text(3) { checkNested(type, boundary: text(4) ?? "inner", &dice) }
    checkHeaderFile(texts.dropFirst(5).joined(separator: "\n"), &dice)
}

private func attempt<Result>(_ body: () throws(FormworkError) -> Result) -> Result? {
    do throws(FormworkError) {
        return try body()
    } catch {
        check(error.code == .invalidArgument, "\(error.code) where an argument is wrong")
        check(!error.description.unicodeScalars.contains { $0.value < 0x20 }, "an error of several lines")
        return nil
    }
}

private let boundaryBytes =
    Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'()+_,-./:=? ".utf8)

private func checkBoundary(_ text: String) {
    let boundary = attempt { () throws(FormworkError) in try Boundary(text) }
    let isLegal =
        (1...70).contains(text.utf8.count) && text.utf8.allSatisfy(boundaryBytes.contains) && text.utf8.last != 0x20
    check((boundary != nil) == isLegal, "the boundary is \(isLegal ? "refused" : "taken")")
    guard let boundary else { return }
    let type = "multipart/mixed; boundary=\(boundary.parameterValue)"
    check(boundaries(in: type) == [text], "a receiver reads another boundary in \(type)")
    let framing = attempt { () throws(FormworkError) in try MultipartFraming(contentType: type) }
    check(framing?.boundary == boundary, "the framing reads another boundary")
}

private func checkMultipartType(_ text: String) {
    for text in [text, "multipart/mixed; \(text)"] {
        let framing = attempt { () throws(FormworkError) in try MultipartFraming(contentType: text) }
        guard let framing else { continue }
        guard let plan = attempt({ () throws(FormworkError) in try FormData(framing: framing).plan() }) else {
            continue
        }
        checkHeaderLine(Array("Content-Type: \(plan.contentType)".utf8)[...])
        let found = boundaries(in: plan.contentType) ?? []
        check(found == [framing.boundary.text], "a receiver reads \(found) in \(shown(plan.contentType.utf8))")
    }
}

/// A field from a line, also when it is given as name and value.
private func checkField(_ line: String) -> HeaderField? {
    let bytes = Array(line.utf8)
    let name = bytes.prefix { $0 != 0x3A }
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    var value = bytes.dropFirst(name.count + 1).drop(while: isBlank)
    while value.last.map(isBlank) ?? false { value.removeLast() }
    let isLegal =
        name.count < bytes.count && !name.isEmpty && name.allSatisfy(isToken)
        && value.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    let field = attempt { () throws(FormworkError) in try HeaderField(line: line) }
    check((field != nil) == isLegal, "the field is \(isLegal ? "refused" : "taken")")
    let parts = (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    let same = attempt { () throws(FormworkError) in try HeaderField(parts.0, parts.1) }
    if name.count < bytes.count { check(same == field, "a field in two parts is another one") }
    if let field {
        check(field.name.utf8.elementsEqual(name) && field.value.utf8.elementsEqual(value), "a field changes bytes")
    }
    return field
}

private func checkSection(_ header: PartHeader, _ escaping: ParameterEscaping, _ dice: inout Dice) {
    var form = FormData(framing: MultipartFraming(escaping: escaping))
    form.append(name: "begin", value: "")
    form.append(BodyPart(header: header, source: .text("content")))
    guard let plan = attempt({ () throws(FormworkError) in try form.plan() }),
        let body = attempt({ () throws(FormworkError) in try readWhole(plan, &dice) })
    else { return }
    // These two allow line ends, as documented.
    guard escaping != .raw, escaping != .backslashUnchecked else { return }
    let parts = parse(body[...], boundary: form.framing.boundary.text)
    let count =
        (header.disposition == nil ? 0 : 1) + (header.contentType == nil ? 0 : 1)
        + (header.transferEncoding == nil ? 0 : 1)
        + header.fields.count
    check(
        parts.count == 2 && parts[1].lines.count == count,
        "\(parts.last?.lines.map(shown) ?? []) has not \(count) lines")
    check(parts[1].content.elementsEqual("content".utf8), "the section ends elsewhere")
    for (line, field) in zip(parts[1].lines.suffix(header.fields.count), header.fields) {
        check(line.elementsEqual("\(field.name): \(field.value)".utf8), "the field \(field) is \(shown(line))")
    }
    for name in [header.name, header.filename] where name?.utf8.contains(0) ?? false { check(false, "a name with NUL") }
}

private func checkNested(_ type: String, boundary: String, _ dice: inout Dice) {
    guard let outer = try? MultipartFraming(boundary: Boundary(boundary)),
        let inner = try? MultipartFraming(contentType: type)
    else { return }
    var multipart = FormData(framing: inner)
    multipart.append(name: "in", value: "content")
    var form = FormData(framing: outer)
    form.append(BodyPart(name: "out", multipart: multipart))
    form.append(name: "end", value: "")
    guard let plan = attempt({ () throws(FormworkError) in try form.plan() }),
        let body = attempt({ () throws(FormworkError) in try readWhole(plan, &dice) })
    else { return }
    let parts = parse(body[...], boundary: outer.boundary.text)
    check(parts.count == 2 && parts[0].lines.count == 2, "a multipart's section is \(parts[0].lines.map(shown))")
    let inside = parse(parts[0].content, boundary: inner.boundary.text)
    check(inside.count == 1 && inside[0].content.elementsEqual("content".utf8), "the inner multipart is another one")
}

/// Lines from a file, in both grammars.
private func checkHeaderFile(_ text: String, _ dice: inout Dice) {
    writeFile(named: "h", Array(text.utf8))
    for grammar in FormGrammar.allCases {
        var arguments = CurlForm(grammar: grammar)
        do throws(FormworkError) {
            try arguments.append("a=content;headers=@h")
            let form = try arguments.formData()
            let body = try readWhole(try form.plan(), &dice)
            guard grammar == .strict else { continue }
            let parts = parse(body[...], boundary: form.framing.boundary.text)
            check(parts.count == 1 && parts[0].content.elementsEqual("content".utf8), "the part ends elsewhere")
            // Folding reduces their number, and nothing increases it.
            let lines = text.utf8.split(separator: 0x0A).filter { $0.first { $0 != 0x0D } != 0x23 }
            check(parts[0].lines.count <= lines.count + 1, "\(parts[0].lines.map(shown)) from \(lines.count) lines")
        } catch {
            check(error.code == .invalidArgument, "\(error)")
        }
    }
}
