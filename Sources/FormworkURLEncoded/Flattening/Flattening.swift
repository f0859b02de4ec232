/// The rules for turning a tree of values into names and texts.
///
/// Each dialect has one set of these rules, and callers can make their own. Names are made from the path to a value:
/// `user[tags][]`.
public struct Flattening: Sendable {
    /// The name of an array's elements.
    public enum ArrayNames: Sendable {
        /// `a[]`.
        case brackets
        /// `a`, repeated.
        case repeated
        /// `a[0]`, counted from 0.
        case indexed
        /// The closure's result for the array's name and the element's index.
        case custom(@Sendable (_ name: String, _ index: Int) -> String)
    }

    /// The name of a set's elements.
    enum SetNames: Sendable {
        /// Like an array's, in the given order.
        case likeArrays
        /// The set's own name, repeated; elements sorted by their text.
        case repeatedInOrder
    }

    /// The name of an object's member.
    public enum MemberNames: Sendable {
        /// `a[b]`.
        case brackets
        /// `a.b`.
        case dots
        /// The object's name followed by the closure's result for the member's name.
        case custom(@Sendable (_ member: String) -> String)
        /// Objects and arrays inside the root are refused.
        case refused
    }

    /// How true and false are written.
    public enum Bools: String, CaseIterable, Sendable {
        /// `1` and `0`.
        case numeric
        /// `true` and `false`.
        case literal
    }

    /// How no value is written.
    public enum Nulls: Hashable, Sendable {
        /// `a`, without `=`.
        case nameOnly
        /// `a=` and this text.
        case text(String)
        /// Not at all.
        case dropped
    }

    /// How a number with a fraction is written.
    enum Doubles: Sendable {
        /// Like Swift: `1.0`, `1e-07`.
        case swift
        /// Like `NSNumber`: `1`, `1e-07`.
        case nsNumber
        /// Like JavaScript and JSON: `1`, `1e-7`, `1e+21`.
        case javaScript
        /// Like PHP, with the 14 digits of its setting `precision`: `1`, `1.0E-7`, `NAN`.
        case php
        /// Like Ruby: `1.0`, `1.0e-07`, `1.0e+15`.
        case ruby
    }

    /// In which order an object's members are written; an array's elements keep theirs.
    public enum Order: Sendable {
        /// The object's own order.
        case given
        /// By name, upper case before lower case, at every level.
        case byName
        /// By name in lower case, at every level.
        case byNameIgnoringCase
        /// By the closure, which compares two names, at every level.
        case by(@Sendable (String, String) -> Bool)
        /// By the finished, escaped text of each member, at every level.
        case byText
        /// Like ``byText``, but array elements are sorted too, so their order is lost.
        case byTextWithArrays
        /// Like ``byText``, but members of objects whose name contains `[]` keep their order, like in Rails.
        case byTextOutsideArrays
    }

    /// What it means that a name occurs more than once.
    public enum Duplicates: String, CaseIterable, Sendable {
        /// All count. Where a name becomes a tree, it is an array of its values.
        case all
        /// The last value counts, in the first one's place, as in PHP and Rails. Rails' checkboxes need this: a hidden field sends
        /// `0`, and the checked box `1` after it.
        case last
        /// The first value counts.
        case first
        /// It is an error.
        case refuse
    }

    /// How an array as the root is handled; normally the root is an object.
    package enum RootArray: Sendable {
        case refused
        /// It is written as an array with that name.
        case named(String)
        /// Its elements are named by their index: `0`, `1`.
        case indexed
    }

    /// The names of an array's elements.
    public var arrays: ArrayNames
    /// The names of a set's elements.
    var sets: SetNames
    /// The names of an object's members.
    public var members: MemberNames
    /// How true and false are written.
    public var bools: Bools
    /// How no value is written.
    public var nulls: Nulls
    /// Whether an empty array or set that is an array's element is written as `a[]=`, like in Rails. Otherwise what is empty
    /// isn't written at all.
    var writesEmptyElements: Bool
    /// How a number with a fraction is written.
    var doubles: Doubles
    /// Whether bytes are written as their count, as Foundation's `Data` describes itself: `4 bytes`. Otherwise they are
    /// escaped, so that the receiver gets them unchanged.
    var countsBytes: Bool
    /// In which order an object's members are written.
    public var order: Order
    /// How several members with the same name are handled.
    public var duplicates: Duplicates
    /// How an array as the root is handled.
    package var rootArray: RootArray
    /// Whether members without a name are left out, like in Recipes.
    package var skipsEmptyNames: Bool
    /// How many levels objects and arrays may nest: 1 for a flat object.
    public var depth: Int

    /// Creates rules; the defaults are those that most servers understand: `a[]=1&b[c]=2`, everything in the given
    /// order, null as an empty text; only empty arrays and objects are lost.
    public init(
        arrays: ArrayNames = .brackets, members: MemberNames = .brackets, bools: Bools = .literal,
        nulls: Nulls = .text(""), order: Order = .given, duplicates: Duplicates = .all, depth: Int = 512
    ) {
        self.init(
            arrays: arrays, sets: .likeArrays, members: members, bools: bools, nulls: nulls, order: order,
            duplicates: duplicates, depth: depth)
    }

    /// Creates rules with those that only other libraries have.
    @_disfavoredOverload
    init(
        arrays: ArrayNames = .brackets, sets: SetNames = .likeArrays, members: MemberNames = .brackets,
        bools: Bools = .literal, nulls: Nulls = .text(""), writesEmptyElements: Bool = false,
        doubles: Doubles = .javaScript,
        countsBytes: Bool = false, order: Order = .given, duplicates: Duplicates = .all,
        rootArray: RootArray = .refused,
        skipsEmptyNames: Bool = false, depth: Int = 512
    ) {
        (self.arrays, self.sets, self.members, self.bools, self.nulls) = (arrays, sets, members, bools, nulls)
        (self.writesEmptyElements, self.doubles) = (writesEmptyElements, doubles)
        (self.countsBytes, self.order) = (countsBytes, order)
        (self.duplicates, self.rootArray) = (duplicates, rootArray)
        (self.skipsEmptyNames, self.depth) = (skipsEmptyNames, depth)
    }
}
