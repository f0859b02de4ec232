@testable import FormworkCore
@testable import FormworkClient
@testable import FormworkResumable
import Testing

@Suite(.timeLimit(.minutes(10))) struct UploadPropertyTests {
    static let choices: [(ResumableChoice, UploadDraft?)] = [
        (.auto, nil), (.ietf, nil), (.ietf, .v3), (.ietf, .v5), (.ietf, .v6), (.tus, nil),
    ]

    /// The whole body arrives once and right, whatever the network does, once the client knows where to continue.
    @Test(arguments: 0..<6) func arrives(_ index: Int) throws {
        let (choice, draft) = Self.choices[index]
        var resumed = 0
        for seed in 0..<1500 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            let body = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
            var options = ResumingOptions(choice)
            options.maximumAttempts = 100
            options.maximumRestarts = 100
            options.restartsLost = true
            options.delays = []
            options.createsFirst = Bool.random(using: &random)
            if choice != .auto, Bool.random(using: &random) {
                options.maximumAppendSize = Int64.random(in: 1...100, using: &random)
            }
            let knowsLength = Bool.random(using: &random)
            let client = try ResumableSend(
                .post([.contentType: "multipart/form-data; boundary=x"]),
                length: knowsLength ? Int64(body.count) : nil,
                options: options)
            var simulation = Simulation(
                client, body: body, seed: seed &+ 7, faults: Int.random(in: 0...12, using: &random))
            simulation.losesUploads = true
            if let draft { simulation.server.drafts = [draft] }
            if choice == .ietf, draft == nil, Bool.random(using: &random) {
                simulation.server.limits.maxAppendSize = Int64.random(in: 20...150, using: &random)
                // A client that doesn't know the limit, or the end, may have to send less.
                if knowsLength, options.maximumAppendSize == nil {
                    simulation.server.limits.minAppendSize = Int64.random(in: 0...20, using: &random)
                }
            }
            let end = try simulation.run()
            switch end {
            case .done(let outcome):
                if outcome.response.status.code == 503 || outcome.response.status.code == 413 {
                    // The server had not offered to resume.
                    #expect(simulation.client.link == nil, "seed \(seed)")
                    continue
                }
                #expect(outcome.response.status.kind == .successful, "seed \(seed) \(outcome)")
                #expect(outcome.isOver, "seed \(seed)")
                #expect(simulation.server.processed == [body], "seed \(seed)")
                if simulation.requests.count > 1 { resumed += 1 }
            case .fail(let failure):
                #expect(failure.code == .interrupted && simulation.client.link == nil, "seed \(seed) \(failure)")
                #expect(simulation.server.processed.count <= 1, "seed \(seed)")
            default: Issue.record("not an end")
            }
        }
        #expect(resumed > 200)
    }

    /// A body that can be read once is never sent wrong, and continues if the server has everything that was read.
    @Test(arguments: [ResumableChoice.ietf, .tus]) func onceReadable(_ choice: ResumableChoice) throws {
        var done = 0
        for seed in 0..<1000 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            let body = (0..<Int.random(in: 0...100, using: &random)).map { UInt8($0) }
            var options = ResumingOptions(choice)
            options.maximumAttempts = 100
            options.delays = []
            let client = try ResumableSend(.post(), length: nil, isReplayable: false, options: options)
            var simulation = Simulation(
                client, body: body, seed: seed, faults: Int.random(in: 0...3, using: &random))
            if case .done(let outcome) = try simulation.run(), outcome.isOver {
                #expect(simulation.server.processed == [body], "seed \(seed)")
                done += 1
            } else {
                #expect(simulation.server.processed.allSatisfy { $0 == body }, "seed \(seed)")
            }
        }
        #expect(done > 300)
    }
}
