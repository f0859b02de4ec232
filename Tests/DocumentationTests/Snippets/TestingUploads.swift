import Formwork

func testingUploads() async throws -> BodyPlan {
    let tenGigabytes = FormData()
        .appending(name: "title", value: "Large")
        .appending(
            name: "video", source: .synthetic(count: 10 << 30, seed: 7), filename: "video.mp4")
    let plan = try await tenGigabytes.plan()
    print(plan.contentLength ?? 0)  // 10737418529, known before a byte is made
    return plan
}

func testingHandlers() async throws {
    let body = "--x\r\nContent-Disposition: form-data; name=title\r\n\r\nHarbour\r\n--x--\r\n"
    let form = try ReceivedForm(body, contentType: "multipart/form-data; boundary=x")
    print(form["title"] ?? "none")
}

func testingClients() async throws {
    let sent = try await FormData(["title": "Harbour"]).plan()
    let received = try await ReceivedForm(sent.bytes(upTo: 1 << 20), contentType: sent.contentType)
    print(received)
}
