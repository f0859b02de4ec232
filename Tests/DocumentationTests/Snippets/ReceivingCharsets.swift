import Formwork
import FormworkFoundation

func receivingCharsets(_ form: ReceivedForm) async throws -> Profile {
    var decoder = FormDataDecoder()
    decoder.textDecoding = .foundation
    let answer = try decoder.decode(Profile.self, from: form)
    return answer
}
