/// A class whose superclasses may have written nothing: only `c` is needed.
package final class Superclasses: MiddleClass {
    private enum CodingKeys: CodingKey { case c, middle }
    package private(set) var c = 0

    package required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try super.init(from: container.superDecoder(forKey: .middle))
        self.c = try container.decode(Int.self, forKey: .c)
    }
}

package class MiddleClass: BaseClass {
    private enum CodingKeys: CodingKey { case b, base }
    private var b: Int?

    package required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.b = try container.decodeIfPresent(Int.self, forKey: .b)
        try super.init(from: container.superDecoder(forKey: .base))
    }
}

package class BaseClass: Decodable { private var a: Int? }
