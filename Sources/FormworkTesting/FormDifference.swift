import FormworkCore

/// The differences between a form and the expected one: a line for each, with part, field and offset.
///
/// Thrown by ``expectForm(_:equals:)-(ObservedForm,ObservedForm)``; Swift Testing and XCTest print it.
public struct FormDifference: Error, Sendable, Hashable, CustomStringConvertible {
    /// One difference.
    public struct Finding: Sendable, Hashable, CustomStringConvertible {
        /// The part that differs, counted as in the expected form.
        public let part: PartReference
        /// The offset in the part's content at which the two begin to differ, from 0; `nil` for a difference in the
        /// header section, or a missing part. For content that isn't kept, a multiple of 65,536: the difference is in
        /// the 65,536 bytes from this offset.
        public let offset: Int64?
        /// A description of the difference.
        public let message: String

        /// The part, then the difference.
        public var description: String { "\(self.part): \(self.message)" }
    }

    /// The differences, in the order of the parts; never empty.
    public let findings: [Finding]

    /// A line for each difference, at most twelve.
    public var description: String {
        let shown = self.findings.prefix(12).map(\.description)
        let rest = self.findings.count - shown.count
        return (["The form is not the one expected:"] + shown + (rest > 0 ? ["and \(rest) more"] : []))
            .joined(separator: "\n")
    }

    /// Compares two forms; `nil` if they don't differ.
    init?(of actual: ObservedForm, from expected: ObservedForm) {
        var findings: [Finding] = []
        for index in 0..<max(actual.parts.count, expected.parts.count) {
            let expectedPart = index < expected.parts.count ? expected.parts[index] : nil
            let actualPart = index < actual.parts.count ? actual.parts[index] : nil
            let reference = PartReference(index: index, name: (expectedPart ?? actualPart)?.name)
            func find(_ message: String, at offset: Int64? = nil) {
                findings.append(Finding(part: reference, offset: offset, message: message))
            }
            guard let expectedPart else {
                find("was not expected: the form has \(expected.parts.count, "part")")
                continue
            }
            guard let actualPart else {
                find("is missing: only \(actual.parts.count, "part") came")
                continue
            }
            if let difference = difference(of: actualPart.name, from: expectedPart.name) {
                find("the name is \(difference)")
                continue
            }
            if let difference = difference(of: actualPart.filename, from: expectedPart.filename) {
                find("the filename is \(difference)")
            }
            if let difference = difference(of: actualPart.contentType, from: expectedPart.contentType) {
                find("Content-Type is \(difference)")
            }
            if let content = ContentDifference(of: actualPart.content, from: expectedPart.content) {
                find(content.message, at: content.offset)
            }
        }
        if findings.isEmpty { return nil }
        self.findings = findings
    }
}

/// Both texts, if they don't have the same bytes. Two spellings of a letter, which look the same, are shown as scalars.
private func difference(of actual: String?, from expected: String?) -> String? {
    guard actual.map({ Array($0.utf8) }) != expected.map({ Array($0.utf8) }) else { return nil }
    func shown(_ text: String?) -> String {
        guard let text else { return "not given" }
        guard actual == expected else { return "\"\(text.withControlCharactersEscaped)\"" }
        return "\"\(text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined())\""
    }
    return "\(shown(actual)), expected \(shown(expected))"
}

/// The place at which two contents begin to differ.
private struct ContentDifference {
    var offset: Int64
    var message: String

    init?(of actual: ContentObserver, from expected: ContentObserver) {
        if actual.count == expected.count, actual.checksum.value == expected.checksum.value { return nil }
        let counts =
            actual.count == expected.count ? "" : "; it has \(actual.count, "byte"), expected \(expected.count)"
        if let actual = actual.bytes, let expected = expected.bytes {
            let place = zip(actual, expected).enumerated().first { $1.0 != $1.1 }?.offset
            let offset = place ?? min(actual.count, expected.count)
            self.offset = Int64(offset)
            self.message =
                "the content differs from offset \(offset) on: \(Self.excerpt(actual, offset)), "
                + "expected \(Self.excerpt(expected, offset))\(counts)"
            return
        }
        let mark = zip(actual.marks, expected.marks).enumerated().first { $1.0 != $1.1 }?.offset
        let block = mark ?? min(actual.marks.count, expected.marks.count)
        self.offset = Int64(block) * Int64(ContentObserver.markDistance)
        self.message =
            "the content differs in the \(ContentObserver.markDistance, "byte") from offset \(self.offset) on\(counts)"
    }

    /// The bytes at an offset, and a few before it.
    private static func excerpt(_ bytes: [UInt8], _ offset: Int) -> String {
        guard offset < bytes.count else { return "its end" }
        let range = max(0, offset - 8)..<min(bytes.count, offset + 24)
        if let text = String(validating: bytes[range], as: UTF8.self),
            text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control || $0 == "\r" || $0 == "\n" })
        {
            let (before, behind) = (range.lowerBound > 0 ? "…" : "", range.upperBound < bytes.count ? "…" : "")
            return "\"\(before)\(text.withControlCharactersEscaped)\(behind)\""
        }
        let hex = bytes[offset..<min(bytes.count, offset + 8)].map { Hex.text([$0]) }
        return hex.joined(separator: " ")
    }
}

/// Compares a form with the expected one: its parts in order, with their names, filenames, types and contents.
///
/// Boundaries and other header fields may differ.
///
/// ```swift
/// import Testing
///
/// @Test func sends() async throws {
///     let form = FormData([BodyPart(name: "title", value: "Harbour at dawn")])
///     let receiver = try LoopbackReceiver()
///     _ = try await send(form, to: receiver.url)
///     try await expectForm(receiver.nextRequest(), equals: form)
/// }
/// ```
/// - Parameters:
///   - actual: The form that arrived.
///   - expected: The form that should have arrived.
/// - Throws: ``FormDifference``.
public func expectForm(_ actual: ObservedForm, equals expected: ObservedForm) throws(FormDifference) {
    if let difference = FormDifference(of: actual, from: expected) { throw difference }
}

/// Compares a form with the expected one, which is composed and read completely for the comparison.
/// - Throws: ``FormDifference``, and the errors of ``ObservedForm/init(_:keeping:)-(BodyPlan,_)`` for `expected`.
public func expectForm(_ actual: ObservedForm, equals expected: FormData) async throws {
    try expectForm(actual, equals: try await ObservedForm(expected.plan()))
}

/// Compares a collected form with the expected one, which is composed and read for the comparison.
/// - Throws: ``FormDifference``, and the errors of ``ObservedForm`` for either form.
public func expectForm(_ actual: ReceivedForm, equals expected: FormData) async throws {
    try await expectForm(ObservedForm(actual), equals: expected)
}

/// Compares a request to a receiver with the expected form, which is composed and read for the comparison.
/// - Throws: ``FormDifference``; the errors of ``LoopbackReceiver/Request/form`` for a body that isn't a form or isn't
///   complete; the errors of ``ObservedForm/init(_:keeping:)-(BodyPlan,_)`` for `expected`.
public func expectForm(_ request: LoopbackReceiver.Request, equals expected: FormData) async throws {
    try await expectForm(request.form, equals: expected)
}
