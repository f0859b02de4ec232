import FormworkCore
import FormworkURLEncoded
import Testing

@Suite("Names become a tree", .timeLimit(.minutes(10)))
struct NameTreeTests {
    private func show(_ value: NameTree.Value) -> String {
        switch value {
        case .leaf(let number): "\(number)"
        case .array(let elements), .unclear(let elements): "[\(elements.map(self.show).joined(separator: ","))]"
        case .object(let members):
            "{\(members.map { "\($0.name):\(self.show($0.value))" }.joined(separator: ","))}"
        }
    }

    /// The tree of names in brackets, their values 0, 1, 2, …
    private func tree(_ names: [String], overwrites: Bool = false) throws -> String {
        let tree = NameTree(overwrites: overwrites)
        for (index, name) in names.enumerated() {
            let path = try #require(NameKey.path(Array(name.utf8), dots: false, limit: 10))
            try tree.set(index, at: path, named: name)
        }
        return self.show(tree.value)
    }

    @Test(
        "A plain name is its own path",
        arguments: ["a", "a]", "a.b", "a[b]", "a[", "0", "-1", "+1", "a0", "", "\u{E9}"])
    func plain(name: String) {
        for dots in [false, true] where NameKey.isPlain(name, dots: dots) {
            #expect(NameKey.path(Array(name.utf8), dots: dots, limit: 10) == [.text(Array(name.utf8))])
        }
        #expect(NameKey.isPlain(name, dots: false) == ["a", "a]", "a.b", "+1", "a0", "\u{E9}"].contains(name))
        #expect(NameKey.isPlain(name, dots: true) == ["a", "a]", "+1", "a0", "\u{E9}"].contains(name))
    }

    @Test(
        "Lists, numbers and members",
        arguments: [
            (["a[]", "a[]", "a[]"], "{a:[0,1,2]}"), (["a[0]", "a[1]", "a[]"], "{a:[0,1,2]}"),
            (["a[5]", "a[]"], "{a:{5:0,6:1}}"), (["a[1]", "a[0]"], "{a:{1:0,0:1}}"),
            (["a[b]", "a[]"], "{a:{b:0,0:1}}"),
            (["a[b][c]", "a[b][d]", "e"], "{a:{b:{c:0,d:1}},e:2}"), (["a[][b]", "a[][b]"], "{a:[{b:0},{b:1}]}"),
            (["a", "a", "b", "a"], "{a:[0,1,3],b:2}"),
        ])
    func shapes(names: [String], tree: String) throws {
        #expect(try self.tree(names) == tree)
    }

    @Test("Many members are found again, each its own")
    func many() throws {
        let names = (0..<40).map { "a[m\($0)]" }
        let both = try self.tree(names + names, overwrites: true)
        #expect(both == "{a:{" + (0..<40).map { "m\($0):\($0 + 40)" }.joined(separator: ",") + "}}")
    }

    @Test("A value and a tree are an error, unless the later one takes the place")
    func conflicts() throws {
        for names in [["a", "a[b]"], ["a[b]", "a"]] {
            let error = #expect(throws: FormworkError.self) { try self.tree(names) }
            #expect(error?.code == .malformedBody)
        }
        #expect(try self.tree(["a", "a[b]"], overwrites: true) == "{a:{b:1}}")
        #expect(try self.tree(["a[b]", "a"], overwrites: true) == "{a:1}")
    }

    @Test("Behind the largest number of all there is no place")
    func largest() throws {
        let error = #expect(throws: FormworkError.self) { try self.tree(["a[\(Int.max)]", "a[]"]) }
        #expect(error?.code == .malformedBody)
        #expect(try self.tree(["a[\(Int.max)]", "a[]"], overwrites: true) == "{a:{\(Int.max):0}}")
    }
}
