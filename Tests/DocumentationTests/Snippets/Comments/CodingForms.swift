import Formwork

// The examples in the comments of FormDataEncoder, FormDataDecoder, JSONPart and FormFile.

struct Order: Codable, Equatable {
    var item: String
    var sizes: [Int]
    var note: String?
}

func codingOrders() async throws -> (FormData, ReceivedForm) {
    let order = Order(item: "rope", sizes: [8, 10])
    let form = try FormDataEncoder().encode(order)
    // item=rope, sizes[]=8, sizes[]=10
    let plan = try await form.plan()
    let received = try await ReceivedForm(plan.bytes(upTo: 1 << 20), contentType: plan.contentType)
    return (form, received)
}

func codingWithoutCoders(_ received: ReceivedForm) async throws -> (FormData, Order) {
    let form = try FormData(Order(item: "rope", sizes: [8, 10]))
    func back(_ form: ReceivedForm) throws -> Order {
        let order = try form.decode(Order.self)
        return order
    }
    return (form, try back(received))
}

func codingBack(_ form: ReceivedForm) async throws -> Order {
    let order = try FormDataDecoder().decode(Order.self, from: form)
    return order
}

func codingBytes(_ body: [UInt8], _ contentType: String?) async throws -> Profile {
    let profile = try FormDataDecoder().decode(Profile.self, from: body, contentType: contentType)
    return profile
}

struct Metadata: Codable {
    var taken: Int
}

struct Upload: Codable {
    @JSONPart var metadata: Metadata
    var photo: FormFile
}
