import Formwork

func checkingWhileSent() async throws {
    let framing = MultipartFraming(boundary: try Boundary("harbour"))
    let plan = try await FormData(framing: framing).appending(name: "photo", file: "harbour.jpg").plan()
    do {
        try await plan.write(toFile: "body.bin", options: ReaderOptions(checksFraming: true))
    } catch FormworkError.Code.framingBroken {
        print("a content or a header field breaks the form: choose another boundary")
    } catch {
        print(error)
    }
}
