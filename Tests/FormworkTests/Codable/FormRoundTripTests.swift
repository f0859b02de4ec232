import Formwork
import TestSupport
import Testing

@Suite("FormDataEncoder and FormDataDecoder: types and values of all kinds", .timeLimit(.minutes(10)))
struct FormRoundTripTests {
    @Test("What is written comes back equal, or is refused when it is written")
    func roundTrips() async throws {
        let cases = RoundTrips.cases(normally: 5_000)
        var (generator, trips) = (SampleGenerator(seed: 14), RoundTrips())
        let types = SampleTypes()
        while trips.count < cases, trips.wrong.count < 5 {
            let type = types.object(&generator)
            for _ in 0..<10 { try await self.tryOne(type, &generator, &trips) }
        }
        #expect(trips.wrong.isEmpty, "\(trips.wrong.joined(separator: "\n"))")
        print("FormData: \(trips.equal) equal, \(trips.refused) refused")
        #expect(trips.equal * 10 > trips.count * 5, "\(trips.equal) equal, \(trips.refused) refused")
    }

    private func tryOne<Value: Sample>(
        _ type: Value.Type, _ generator: inout SampleGenerator, _ trips: inout RoundTrips
    ) async throws {
        let value = type.sample(&generator)
        var (encoder, decoder) = (FormDataEncoder(), FormDataDecoder())
        encoder.arrays = generator.pick(FormDataEncoder.Arrays.allCases)
        encoder.acceptsNonFiniteNumbers = generator.once(in: 2)
        encoder.nameDepth = generator.once(in: 8) ? 2 : 8
        (decoder.acceptsNonFiniteNumbers, decoder.nameDepth) = (encoder.acceptsNonFiniteNumbers, encoder.nameDepth)
        let form: FormData
        do {
            form = try encoder.encode(value)
        } catch is EncodingError {
            return trips.tried(value, nil) { "" }
        }
        let received = try await FormCodingTests.sent(form)
        trips.tried(value, Result { try decoder.decode(type, from: received) }) {
            "\(encoder.arrays) \(received.map { "\($0.name ?? "")=\($0.text ?? "")" })"
        }
    }
}
