/// The rules by which a tree of values becomes names and values of text.
///
/// Each system that a dialect imitates is one set of these rules; a caller's own is another. Names are made from the
/// path to a value: `user[tags][]`.
public struct Flattening: Sendable {
    /// The name of an array's elements.
    public enum ArrayNames: Sendable {
        /// `a[]`.
        case brackets
        /// `a`, repeated.
        case repeated
        /// `a[0]`, counted from 0.
        case indexed
        /// What the closure makes of the array's name and the element's index.
        case custom(@Sendable (_ name: String, _ index: Int) -> String)
    }

    /// The name of a set's elements.
    public enum SetNames: Sendable {
        /// As an array's, in the order given.
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
        /// What the closure makes of the member's name, behind the object's.
        case custom(@Sendable (_ member: String) -> String)
        /// Objects and arrays inside the root have no names: they are refused.
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

    /// How an array, set or object without elements is written.
    public enum Empties: String, CaseIterable, Sendable {
        /// Not at all.
        case dropped
        /// `a=`.
        case nameOnly
        /// `a[]=` for an array or a set, nothing for an object.
        case brackets
        /// As ``brackets`` for an array or a set that is an array's element, nothing otherwise, as Rails does it.
        case bracketsInArrays
    }

    /// How a number with a fraction is written.
    public enum Doubles: Sendable {
        /// As Swift prints it: `1.0`, `1e-07`.
        case swift
        /// As `NSNumber` prints it: `1`, `1e-07`.
        case nsNumber
        /// As JavaScript and JSON print it: `1`, `1e-7`, `1e+21`.
        case javaScript
        /// As PHP prints it, with the 14 digits of its setting `precision`: `1`, `1.0E-7`, `NAN`.
        case php
        /// As Ruby prints it: `1.0`, `1.0e-07`, `1.0e+15`.
        case ruby
        /// What the closure makes of it.
        case custom(@Sendable (Double) -> String)
    }

    /// How bytes are written.
    public enum Bytes: Sendable {
        /// Each byte escaped: the receiver gets them as they are.
        case raw
        case base64
        /// Their count, as Foundation's `Data` describes itself: `4 bytes`.
        case count
        case refused
    }

    /// In which order an object's members are written; an array's elements keep theirs.
    public enum Order: Sendable {
        /// As they stand in the object.
        case given
        /// By name, upper case before lower case, at every level.
        case byName
        /// By name in lower case, at every level.
        case byNameIgnoringCase
        /// What the closure says of two names, at every level.
        case by(@Sendable (String, String) -> Bool)
        /// By the finished, escaped text of each member, at every level.
        case byText
        /// As ``byText``, and array elements are sorted too: their order is lost.
        case byTextWithArrays
        /// As ``byText``, but members of objects whose name has `[]` in it stay as they are, as Rails does it.
        case byTextOutsideArrays
    }

    /// What becomes of several members with one name.
    public enum Duplicates: String, CaseIterable, Sendable {
        /// All are written.
        case kept
        /// The last one's value, in the first one's place.
        case lastWins
        /// The first one alone.
        case firstWins
        /// They are an error.
        case refused
    }

    /// What becomes of an array in the place of the object that has all parameters.
    public enum RootArray: Sendable {
        case refused
        /// It is an array of that name.
        case named(String)
        /// Its elements are named by their index: `0`, `1`.
        case indexed
    }

    /// The names of an array's elements.
    public var arrays: ArrayNames
    /// The names of a set's elements.
    public var sets: SetNames
    /// The names of an object's members.
    public var members: MemberNames
    /// How true and false are written.
    public var bools: Bools
    /// How no value is written.
    public var nulls: Nulls
    /// How an array, set or object without elements is written.
    public var empties: Empties
    /// How a number with a fraction is written.
    public var doubles: Doubles
    /// How bytes are written.
    public var bytes: Bytes
    /// In which order an object's members are written.
    public var order: Order
    /// What becomes of several members with one name.
    public var duplicates: Duplicates
    /// What becomes of an array in the place of the object that has all parameters.
    public var rootArray: RootArray
    /// Whether members without a name are left out, as Recipes does it.
    public var skipsEmptyNames: Bool
    /// How many objects and arrays may lie within each other: 1 for a flat object.
    public var depth: Int

    /// The rules that most servers understand: `a[]=1&b[c]=2`, everything in the order given, nothing lost but empty
    /// arrays and objects, and null as an empty text.
    public init(
        arrays: ArrayNames = .brackets, sets: SetNames = .likeArrays, members: MemberNames = .brackets,
        bools: Bools = .literal, nulls: Nulls = .text(""), empties: Empties = .dropped, doubles: Doubles = .javaScript,
        bytes: Bytes = .raw, order: Order = .given, duplicates: Duplicates = .kept, rootArray: RootArray = .refused,
        skipsEmptyNames: Bool = false, depth: Int = 512
    ) {
        (self.arrays, self.sets, self.members, self.bools, self.nulls) = (arrays, sets, members, bools, nulls)
        (self.empties, self.doubles, self.bytes, self.order) = (empties, doubles, bytes, order)
        (self.duplicates, self.rootArray) = (duplicates, rootArray)
        (self.skipsEmptyNames, self.depth) = (skipsEmptyNames, depth)
    }
}
