import Foundation

// An encoder with the design of Alamofire's, for comparison only: every value is stored in a tree of boxed nodes at
// its path from the root; the tree is then converted to strings, which are escaped, sorted and joined.

indirect enum Node {
    case text(String)
    case list([Node])
    case object([(key: String, value: Node)])

    mutating func set(_ value: Node, at path: ArraySlice<any CodingKey>) {
        guard let key = path.first else {
            self = value
            return
        }
        if let index = key.intValue {
            var list: [Node] = if case .list(let list) = self { list } else { [] }
            var child = list.indices.contains(index) ? list[index] : .list([])
            child.set(value, at: path.dropFirst())
            if list.indices.contains(index) { list[index] = child } else { list.append(child) }
            self = .list(list)
        } else {
            var object: [(key: String, value: Node)] = if case .object(let object) = self { object } else { [] }
            let index = object.firstIndex { $0.key == key.stringValue }
            var child = index.map { object[$0].value } ?? .object([])
            child.set(value, at: path.dropFirst())
            if let index { object[index].value = child } else { object.append((key.stringValue, child)) }
            self = .object(object)
        }
    }

    func serialized(_ name: String) -> String {
        switch self {
        case .text(let text): return escaped(name) + "=" + escaped(text)
        case .list(let nodes): return nodes.map { $0.serialized(name + "[]") }.sorted().joined(separator: "&")
        case .object(let members):
            return members.map { $0.value.serialized(name.isEmpty ? $0.key : "\(name)[\($0.key)]") }.sorted()
                .joined(separator: "&")
        }
    }

    private func escaped(_ text: String) -> String {
        var allowed = Self.allowed
        allowed.insert(charactersIn: " ")
        return (text.addingPercentEncoding(withAllowedCharacters: allowed) ?? text)
            .replacingOccurrences(of: " ", with: "%20")
    }

    private static let allowed = CharacterSet.urlQueryAllowed.subtracting(
        CharacterSet(charactersIn: ":#[]@!$&'()*+,;="))
}

final class Tree { var root = Node.object([]) }

struct TreeEncoder: Encoder {
    let tree: Tree
    var codingPath: [any CodingKey] = []
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Keyed<Key>(tree: self.tree, codingPath: self.codingPath))
    }
    func unkeyedContainer() -> any UnkeyedEncodingContainer { fatalError("the benchmark's struct has no arrays") }
    func singleValueContainer() -> any SingleValueEncodingContainer {
        Single(tree: self.tree, codingPath: self.codingPath)
    }

    final class Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let tree: Tree
        var codingPath: [any CodingKey]
        init(tree: Tree, codingPath: [any CodingKey]) { (self.tree, self.codingPath) = (tree, codingPath) }

        func encodeNil(forKey key: Key) {}
        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            let container: any SingleValueEncodingContainer = Single(
                tree: self.tree, codingPath: self.codingPath + [key])
            var single = container
            try single.encode(value)
        }
        func nestedContainer<Nested: CodingKey>(
            keyedBy keyType: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            KeyedEncodingContainer(Keyed<Nested>(tree: self.tree, codingPath: self.codingPath + [key]))
        }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            fatalError("the benchmark's struct has no arrays")
        }
        func superEncoder() -> any Encoder { TreeEncoder(tree: self.tree, codingPath: self.codingPath) }
        func superEncoder(forKey key: Key) -> any Encoder {
            TreeEncoder(tree: self.tree, codingPath: self.codingPath + [key])
        }
    }

    final class Single: SingleValueEncodingContainer {
        let tree: Tree
        var codingPath: [any CodingKey]
        init(tree: Tree, codingPath: [any CodingKey]) { (self.tree, self.codingPath) = (tree, codingPath) }

        private func set(_ text: String) { self.tree.root.set(.text(text), at: self.codingPath[...]) }
        func encodeNil() {}
        func encode(_ value: Bool) { self.set(value ? "1" : "0") }
        func encode(_ value: String) { self.set(value) }
        func encode(_ value: Double) { self.set(String(value)) }
        func encode(_ value: Float) { self.set(String(value)) }
        func encode(_ value: Int) { self.set(String(value)) }
        func encode(_ value: Int8) { self.set(String(value)) }
        func encode(_ value: Int16) { self.set(String(value)) }
        func encode(_ value: Int32) { self.set(String(value)) }
        func encode(_ value: Int64) { self.set(String(value)) }
        func encode(_ value: UInt) { self.set(String(value)) }
        func encode(_ value: UInt8) { self.set(String(value)) }
        func encode(_ value: UInt16) { self.set(String(value)) }
        func encode(_ value: UInt32) { self.set(String(value)) }
        func encode(_ value: UInt64) { self.set(String(value)) }
        func encode<Value: Encodable>(_ value: Value) throws {
            switch value {
            case let date as Date: self.set(String(date.timeIntervalSinceReferenceDate))
            case let data as Data: self.set(data.base64EncodedString())
            case let decimal as Decimal: self.set(String(describing: decimal))
            default: try value.encode(to: TreeEncoder(tree: self.tree, codingPath: self.codingPath))
            }
        }
    }
}
