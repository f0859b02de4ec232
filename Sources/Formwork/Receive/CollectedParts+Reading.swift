import FormworkURLEncoded

extension ReceivedForm {
    /// Reads a whole body.
    @usableFromInline
    init(
        reading body: RawSpan, _ contentType: String?, _ profile: ParsingProfile, _ limits: ParsingLimits
    ) throws(FormworkError) {
        if Self.isURLEncoded(contentType) {
            let text = [UInt8](copying: body, 0..<body.byteCount)
            try self.init(urlEncoded: text, limits: limits, byteLimit: Int(clamping: limits.totalBytes))
            return
        }
        let parser = try MultipartParser(ofRequest: contentType, profile: profile, limits: limits)
        var machine = PartsMachine(parser)
        var collector = FormCollector(.none)
        machine.begin()
        do throws(FormworkError) {
            // Nothing is written: memory has no limit.
            _ = try collector.advance(&machine, in: body)
            try machine.finish()
        } catch {
            throw machine.named(error, in: body)
        }
        self.init(collector.partsInMemory(machine.names))
    }

    /// Reads url-encoded text. Its pairs become fields.
    /// - Parameters:
    ///   - byteLimit: The most bytes of the text.
    ///   - memory: The most bytes of memory for its pairs.
    @usableFromInline
    init(
        urlEncoded text: [UInt8], limits: ParsingLimits, byteLimit: Int, memory: Int = .max
    ) throws(FormworkError) {
        let rules = URLEncodedParsing(
            limits: URLEncodedLimits(
                bytes: byteLimit, pairs: Swift.min(limits.fields, limits.parts), pairBytes: byteLimit))
        let pairs = try URLEncodedPairs(text, rules: rules)
        var parts: [CollectedParts.Part] = []
        parts.reserveCapacity(pairs.count)
        var left = memory
        for index in pairs.indices {
            let (start, nameEnd, end) = pairs.place(index)
            left -= CollectingLimits.partOverhead + end - start
            guard left >= 0 else { throw CollectingLimit.form(left: 0, of: memory).formError }
            if nameEnd - start > limits.nameBytes || Int64(end - nameEnd) > limits.fieldBytes || limits.dependsOnNames {
                try Self.check(pairs[index], index, limits)
            }
            let traits = pairs.bytes.withRawSpan { NameTraits(of: start..<nameEnd, in: $0) }
            parts.append(CollectedParts.Part(name: start..<nameEnd, content: nameEnd..<end, traits))
        }
        self.init(CollectedParts(pairs.bytes, parts, [], .urlEncoded))
    }

    private static func check(
        _ pair: URLEncodedPairs.Element, _ index: Int, _ limits: ParsingLimits
    ) throws(FormworkError) {
        if pair.nameBytes.count > limits.nameBytes {
            throw ParsingFailure(.nameBytesLimit, limit: Int64(limits.nameBytes)).error(
                "A field's name has \(pair.nameBytes.count, "byte"): the limit is \(limits.nameBytes).", at: nil)
        }
        let part = PartReference(index: index, name: pair.name)
        let limit: Int64
        do throws(ParsingFailure) { limit = try limits.contentBytes(of: pair.name, isFile: false) } catch {
            throw error.error(ParsingFailure.unknownNameMessage, at: nil).naming(part)
        }
        if let count = pair.valueBytes?.count, Int64(count) > limit {
            throw ParsingFailure(.fieldBytesLimit, limit: limit)
                .error("the content has \(count, "byte"): the limit is \(limit)", at: nil).naming(part)
        }
    }
}
