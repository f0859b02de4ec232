import Formwork

func nestedForms() async -> FormData {
    var letter = FormData(framing: MultipartFraming(subtype: "alternative"))
    letter.append(
        BodyPart(
            header: PartHeader(
                disposition: nil, contentType: "text/plain; charset=utf-8",
                transferEncoding: .quotedPrintable(isMeasured: true)),
            source: .text("Grüße aus dem Hafen.\r\n")))
    letter.append(
        BodyPart(
            header: PartHeader(disposition: .inline, filename: "harbour.jpg", transferEncoding: .base64()),
            source: .file("harbour.jpg"), findsType: true))

    var message = FormData()
    message.append(BodyPart(name: "letter", multipart: letter))
    return message
}

func curlsArguments() async throws -> FormData {
    var arguments = CurlForm()
    try arguments.append("title=Harbour at dawn")
    try arguments.append("photo=@harbour.jpg;type=image/jpeg;headers=\"X-Camera: 7\"")
    try arguments.append("letter=(;type=multipart/alternative")
    try arguments.append("=Good morning;type=text/plain;encoder=quoted-printable")
    try arguments.append("=)")
    let form = try arguments.formData()
    return form
}
