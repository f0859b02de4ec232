import Formwork
import FormworkMagic

func mediaTypes() throws {
    var upload = FormData(types: .auto)
    upload.append(name: "photo", file: "harbour.jpg")
    upload.append(name: "typed", file: "data.bin", contentType: "application/cbor")
    for piece in try upload.plan().layout where piece.kind != .framing {
        print(piece.contentType?.mediaType ?? "none", piece.contentType?.reason ?? "")
    }
}
