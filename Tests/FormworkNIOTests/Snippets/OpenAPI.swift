import FormworkNIO

extension HTTPBody {
    convenience init(_ plan: BodyPlan) {
        self.init(
            plan.chunks(), length: plan.contentLength.map { .known($0) } ?? .unknown,
            iterationBehavior: plan.isReplayable ? .multiple : .single)
    }
}

func openAPIServer(_ body: HTTPBody, _ contentType: String?) async throws -> ReceivedForm {
    let form = try await ReceivedForm(collecting: ReceivedParts(body, contentType: contentType))
    print(form["title"] ?? "untitled", form.files(named: "photo").count)
    return form
}
