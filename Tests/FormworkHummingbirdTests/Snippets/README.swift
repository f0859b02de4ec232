import FormworkHummingbird
import Hummingbird

/// Of the README, Getting started and Receiving in a server.
func readmeServer() async throws {
    let router = Router()
    router.post("photos") { request, _ in
        try await request.formParts().writeFiles(into: "uploads")
        return HTTPResponse.Status.created
    }
    try await Application(router: router, server: .http1ExpectContinue()).runService()
}

/// Of Accept uploads safely.
func acceptingSafely() async throws {
    let router = Router()
    router.post("avatar") { request, _ in
        var limits = ParsingLimits()
        (limits.totalBytes, limits.fileBytes, limits.files) = (6 << 20, 5 << 20, 1)
        let deadlines = ReceivingDeadlines(total: .seconds(120), chunk: .seconds(20))
        try await request.formParts(profile: .strict, limits: limits, deadlines: deadlines).writeFiles(into: "incoming")
        return HTTPResponse.Status.created
    }
    try await Application(router: router, server: .http1ExpectContinue()).runService()
}
