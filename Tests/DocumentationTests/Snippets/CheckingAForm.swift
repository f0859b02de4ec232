import Formwork

func checkingWhileSent(_ plan: BodyPlan) {
    do {
        try plan.write(toFile: "body.bin", options: ReaderOptions(checksFraming: true))
    } catch FormworkError.Code.framingBroken {
        print("a content or a header field breaks the form: choose another boundary")
    } catch {
        print(error)
    }
}

func checkingAfterwards(_ plan: BodyPlan, _ received: [[UInt8]]) throws -> [FormLint.Finding] {
    for finding in try plan.lint() {
        print(finding)
    }

    var lint = FormLint(contentType: "multipart/form-data; boundary=b")
    for chunk in received { lint.take(chunk) }
    let departures = lint.finish().filter { $0.severity == .departure }
    return departures
}
