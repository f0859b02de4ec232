import Formwork

func changingFiles(_ plan: BodyPlan) {
    do {
        try plan.write(to: .standardOutput)
    } catch FormworkError.Code.sourceChanged {
        print("a file changed: plan again and start over")
    } catch {
        print(error)
    }
}

func snapshot() throws {
    var form = FormData()
    form.append(name: "database", file: "app.sqlite")
    try form.snapshotFiles()
    let plan = try form.plan()
    _ = plan
}
