import Formwork

// The examples in the comments of BodyPlan, BodyReader, AsyncBodyReader and UploadOptions.

func readingAgain(_ form: FormData) async throws -> [UInt8] {
    let plan = try await form.plan()
    print(plan.contentType, plan.contentLength ?? 0)
    let whole = try plan.makeReader().collect(upTo: 1 << 20)
    let rest = try plan.makeReader(from: 100).collect(upTo: 1 << 20)
    print(rest == Array(whole.dropFirst(100)))  // true
    return rest
}

func readingPieces(_ plan: BodyPlan, _ send: ([UInt8]) throws -> Void) async throws {
    let reader = plan.makeReader()
    while true {
        let bytes = try reader.read(upTo: 64 << 10)
        if bytes.isEmpty { break }
        try send(bytes)
    }
}

func readingWithoutBlocking(_ plan: BodyPlan, _ send: ([UInt8]) async throws -> Void) async throws {
    let reader = AsyncBodyReader(plan.makeReader())
    while let chunk = try await reader.next() {
        try await send(chunk)
    }
}

func uploadingWithOptions() async -> UploadOptions {
    let options = UploadOptions(
        length: .fixed, authentication: .basic(user: "harbour", password: "master"), retry: RetryPolicy(count: 3),
        timeout: .seconds(60))
    return options
}
