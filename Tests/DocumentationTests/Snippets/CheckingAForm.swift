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
