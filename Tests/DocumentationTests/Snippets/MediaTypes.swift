import Formwork
import FormworkMagic

func mediaTypes() async throws {
    var upload = FormData(types: .auto)
    upload.append(name: "photo", file: "harbour.jpg")
    upload.append(name: "typed", file: "data.bin", contentType: "application/cbor")
    print(try await upload.plan())

    let choice = try await MediaTypeDetection.auto.choice(of: .file("harbour.jpg"), filename: "harbour.jpg")
    print(choice.mediaType ?? "none", choice.reason)
}
