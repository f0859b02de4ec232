@testable import Formwork

/// Lookups by any name, extension and type.
func fuzzTypes(_ input: [UInt8]) {
    let name = String(decoding: input, as: UTF8.self)
    let utf8 = Array(name.utf8)
    let match = MediaTypeTable.match(forFilename: name)
    check(match?.mediaType == MediaTypeTable.mediaType(forFilename: name), "match and mediaType differ")
    if let match {
        let ending = Array(".\(match.extension)".utf8)
        check(lowercased(utf8.suffix(ending.count)) == ending, "the name doesn't end in .\(match.extension)")
        check(
            MediaTypeTable.mediaType(forExtension: match.extension) == match.mediaType, "the extension says otherwise")
        check(match.extension.utf8.filter { $0 == 0x2E }.count <= 1, "an extension of more than two")
        checkPreferred(of: match.mediaType)
    } else {
        // Only the last extension, after a nonempty name.
        let last = utf8.suffix(while: { $0 != 0x2E && $0 != 0x2F })
        let hasName = utf8.dropLast(last.count + 1).last { $0 != 0x2E }.map { $0 != 0x2F } ?? false
        if hasName, utf8.dropLast(last.count).last == 0x2E {
            let found = MediaTypeTable.mediaType(forExtension: String(decoding: last, as: UTF8.self))
            check(found == nil, "the last extension is known, but not the name")
        }
    }
    // No folder, case or type of text makes a difference.
    let upper = utf8.map { (0x61...0x7A).contains($0) ? $0 - 32 : $0 }
    for other in ["x.tar/" + name, String(decoding: upper, as: UTF8.self)] {
        check(MediaTypeTable.mediaType(forFilename: other) == match?.mediaType, "\(shown(other.utf8)) is another type")
    }
    let part = "<\(name)>".utf8.dropFirst().dropLast()
    check(MediaTypeTable.mediaType(forFilename: Substring(part)) == match?.mediaType, "a Substring is another type")

    if let type = MediaTypeTable.mediaType(forExtension: name) {
        checkPreferred(of: type)
        check(
            MediaTypeTable.mediaType(forExtension: String(decoding: upper, as: UTF8.self)) == type, "case makes a type")
    }
    if let preferred = MediaTypeTable.preferredExtension(for: name) {
        let type = MediaTypeTable.mediaType(forExtension: preferred)
        check(type.map { lowercased(utf8[...]).starts(with: lowercased(Array($0.utf8)[...])) } ?? false, "no way back")
    }

    let choice = MediaTypeDetection.byExtension.choice(forFilename: name, head: nil)
    check(choice.mediaType == match?.mediaType ?? MediaTypeChoice.unknown, "the choice is another type")
    check((choice.detector == .extension) == (match != nil), "the detector is another")
    let curl = MediaTypeDetection.curl.choice(forFilename: name, head: input)
    check(curl.mediaType != nil, "curl's rule has a type for everything")
}

private func checkPreferred(of type: String) {
    let preferred = MediaTypeTable.preferredExtension(for: type)
    check(
        preferred.flatMap { MediaTypeTable.mediaType(forExtension: $0) } == type, "no extension leads back to \(type)")
    check(MediaTypeTable.preferredExtension(for: type.uppercased() + "; a=b") == preferred, "parameters count")
}

extension Array {
    fileprivate func suffix(while predicate: (Element) -> Bool) -> ArraySlice<Element> {
        self[(self.lastIndex { !predicate($0) }.map { $0 + 1 } ?? 0)...]
    }
}
