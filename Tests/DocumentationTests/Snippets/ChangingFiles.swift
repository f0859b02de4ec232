import Formwork

func changingFiles() async throws {
    let plan = try await FormData().appending(name: "photo", file: "harbour.jpg").plan()
    do {
        try await plan.write(to: .standardOutput)
    } catch FormworkError.Code.sourceChanged {
        print("a file changed: plan again and start over")
    } catch {
        print(error)
    }
}

func snapshot() async throws {
    var form = FormData()
    form.append(name: "database", file: "app.sqlite")
    try await form.snapshotFiles()
    let plan = try await form.plan()
    _ = plan
}
