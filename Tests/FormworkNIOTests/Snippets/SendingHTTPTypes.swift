import FormworkClient
import HTTPTypes

func describing(_ plan: BodyPlan) async -> HTTPRequest {
    var request = HTTPRequest(method: .post, scheme: "https", authority: "example.com", path: "/upload")
    request.headerFields.describeBody(plan)
    return request
}
