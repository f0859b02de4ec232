import FormworkMigration

/// Structs encoded in each second of CPU time, by our encoder or by one of Alamofire's design; both give the same text.
func codable(_ peer: String) throws {
    let value = FiftyFields()
    let encoder = URLEncodedFormEncoder()
    let tree = Tree()
    try value.encode(to: TreeEncoder(tree: tree))
    let text: String = try encoder.encode(value)
    precondition(text == tree.root.serialized(""), "the encoders differ")
    let time =
        peer == "formwork"
        ? try seconds { let _: String = try encoder.encode(value) }
        : try seconds {
            let tree = Tree()
            try value.encode(to: TreeEncoder(tree: tree))
            _ = tree.root.serialized("")
        }
    print("structs", Int(1 / time))
}
