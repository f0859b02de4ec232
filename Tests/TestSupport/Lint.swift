import FormworkCore

/// What a parser finds odd in a body that arrives in chunks.
package func lint(_ chunks: [[UInt8]], _ contentType: String) -> [Finding] {
    do throws(FormworkError) {
        var parser = try MultipartParser(linting: contentType)
        do throws(FormworkError) {
            for chunk in chunks { try parser.skim(chunk) }
            try parser.finish()
            return parser.findings()
        } catch {
            return parser.findings(endingWith: error)
        }
    } catch {
        return [Finding(error)]
    }
}

extension MultipartParser {
    /// Reads a chunk without its events.
    package mutating func skim(_ chunk: [UInt8]) throws(FormworkError) {
        var position = 0
        while try self.next(in: chunk, from: &position) != .needsInput {}
    }
}
