/// A detail of a body that receivers read differently: a name, a part or a boundary depends on who reads it.
///
/// The parser reports each one that it read, whatever its profile. ``ParsingProfile/strict`` refuses the body instead.
public struct Ambiguity: Hashable, Sendable, CustomStringConvertible {
    private let finding: Finding
    /// One sentence: what was read, and what to write instead. Text of the sender's in it may have control characters.
    public var description: String { self.finding.message }

    /// The name of the rule that the sender broke, usable as a metrics label: `duplicateHeader`.
    public var name: String { self.finding.oddity.rawValue }

    init?(_ finding: Finding) {
        guard finding.oddity.isAmbiguous else { return nil }
        self.finding = finding
    }
}

extension ReceivedHeader {
    /// What other receivers may read differently in the header section, in the order of the rules. It is looked for when
    /// this is read, in time linear in the section's length.
    public var ambiguities: [Ambiguity] { HeaderCheck(self).findings.compactMap(Ambiguity.init) }
}

extension MultipartParser {
    /// What other receivers may read differently in the `Content-Type`, and in the framing so far. Those of a part are in its
    /// ``ReceivedHeader/ambiguities``.
    public var ambiguities: [Ambiguity] {
        // A parser that watches has noted those of the type.
        let type = self.isWatching ? [] : ContentTypeCheck(self.contentType).findings
        return (type + self.findings()).compactMap(Ambiguity.init)
    }
}
