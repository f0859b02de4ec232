// Content and preamble: bytes up to a delimiter.

extension MultipartParser {
    mutating func readContent(
        _ chunk: RawSpan, _ position: inout Int, _ end: Int
    ) throws(FormworkError) -> Event? {
        guard position < end else { return .needsInput }
        if self.matched > 0 { return try self.resume(chunk, &position, end) }
        let start = position
        var from = start
        while let at = self.search.first(in: chunk, from: from, to: end) {
            var line = DelimiterLine()
            var verdict = DelimiterLine.Verdict.open
            let lineStart = at + self.search.needle.count
            var place = lineStart
            while place < end, case .open = verdict {
                verdict = line.take(chunk[place], self.profile)
                place += 1
            }
            let contentEnd = self.isAfterCR(chunk, at, from: start) ? at - 1 : at
            if case .content = verdict {
                // The byte that doesn't belong to the line may begin a delimiter itself.
                from = place - 1
                self.noteLine(line, at: self.bodyOffset(lineStart))
                if !self.profile.refusesLooseFraming { continue }
            }
            position = place
            let event = try self.deliver(chunk, start..<contentEnd)
            do throws(FormworkError) {
                switch verdict {
                case .content: throw self.longerLine(at: from)
                case .open:
                    self.hold(from: contentEnd, upTo: self.delimiter.count, needleAt: at)
                    self.held.append(chunk, lineStart..<end)
                    self.state = .delimiterLine(line)
                case .part, .close:
                    if self.profile.lineFeedsEndLines, contentEnd == at {
                        self.note(.bareLineFeed, at: self.bodyOffset(at))
                    }
                    try self.delimiterFound(verdict, line, at: place)
                }
            } catch {
                // Content before the delimiter is returned first: then the next call throws.
                guard event != nil else { throw error }
                // If content exceeds its limit, that is before this line, so its error stays.
                if self.failure == nil { self.failure = error }
            }
            return event
        }
        position = end
        var contentEnd = end
        if let at = self.search.cutOff(in: chunk, from: from, to: end) {
            contentEnd = self.isAfterCR(chunk, at, from: start) ? at - 1 : at
            self.hold(from: contentEnd, upTo: end - at + self.delimiter.count - self.search.needle.count, needleAt: at)
        } else if self.profile.lineFeedsEndLines, chunk[end - 1] == 0x0D {
            contentEnd = end - 1
            (self.heldFrom, self.matched) = (0, 1)
        }
        return try self.deliver(chunk, start..<contentEnd)
    }

    /// Whether there is a CR before a needle that begins with LF. It belongs to the delimiter.
    private func isAfterCR(_ chunk: RawSpan, _ at: Int, from start: Int) -> Bool {
        self.profile.lineFeedsEndLines && at > start && chunk[at - 1] == 0x0D
    }

    private mutating func hold(from contentEnd: Int, upTo matched: Int, needleAt at: Int) {
        self.heldFrom = self.delimiter.count - self.search.needle.count - (at - contentEnd)
        self.matched = matched
    }

    /// Continues a delimiter that the previous chunk may have begun.
    private mutating func resume(
        _ chunk: RawSpan, _ position: inout Int, _ end: Int
    ) throws(FormworkError) -> Event? {
        while self.matched < self.delimiter.count {
            guard position < end else { return .needsInput }
            let byte = chunk[position]
            if byte == self.delimiter[self.matched] {
                self.matched += 1
                position += 1
            } else if self.matched == self.heldFrom, self.isInPart {
                // Only the CRLF was held, which isn't content. Most parts begin like this.
                (self.matched, self.heldFrom) = (0, 0)
                return nil
            } else {
                return try self.release(at: position)
            }
        }
        self.state = .delimiterLine(DelimiterLine())
        return nil
    }

    mutating func readDelimiterLine(
        _ line: DelimiterLine, _ chunk: RawSpan, _ position: inout Int, _ end: Int
    ) throws(FormworkError) -> Event? {
        var line = line
        while position < end {
            let byte = chunk[position]
            let verdict = line.take(byte, self.profile)
            switch verdict {
            case .open:
                self.held.append(byte)
                position += 1
            case .content:
                self.noteLine(line, at: self.bodyOffset(position) - Int64(self.held.count))
                if self.profile.refusesLooseFraming { throw self.longerLine(at: position) }
                self.state = .searching
                return try self.release(at: position)
            case .part, .close:
                position += 1
                let start = self.bodyOffset(position) - Int64(line.count + self.delimiter.count - 2)
                if self.heldFrom == 1 { self.note(.bareLineFeed, at: start - 1) }
                if self.heldFrom == 2, self.isInPart {
                    self.note(.sharedLineEnd, at: start, isInPart: true)
                }
                try self.delimiterFound(verdict, line, at: position)
                return nil
            }
        }
        self.state = .delimiterLine(line)
        return .needsInput
    }

    private func longerLine(at place: Int) -> FormworkError {
        ParsingFailure(.malformedBoundaryLine)
            .error("A line begins with the delimiter but is longer.", at: self.bodyOffset(place))
    }

    private mutating func delimiterFound(
        _ verdict: DelimiterLine.Verdict, _ line: DelimiterLine, at place: Int
    ) throws(FormworkError) {
        let start = self.bodyOffset(place) - Int64(line.count + self.delimiter.count - 2)
        if !self.isInPart, start > 0 { try self.notePreamble(of: start) }
        if !line.isUsual { self.noteEnd(of: line, at: self.bodyOffset(place)) }
        if self.isInPart, !self.watch.isEmpty { try self.endContentWatch() }
        (self.matched, self.heldFrom) = (0, 0)
        self.held = []
        guard !self.isInPart else {
            if case .close = verdict {
                self.state = .partEnding(isLast: true)
            } else {
                self.state = .partEnding(isLast: false)
            }
            return
        }
        guard case .close = verdict else {
            if !self.profile.skipsPreambleDelimiters { try self.refuseLostPart() }
            return try self.beginPart(at: place)
        }
        // The body's only part, whose delimiter wasn't recognised.
        try self.refuseLostPart()
        guard !self.hasPreambleText else {
            throw ParsingFailure(.noPartsAfterPreamble)
                .error(
                    "The close delimiter directly follows text: the parts, if any, have another boundary.",
                    at: self.bodyOffset(place))
        }
        self.state = .closing(afterCR: false)
    }

    /// Throws if a line of the preamble begins like the delimiter but isn't one.
    private func refuseLostPart() throws(FormworkError) {
        guard let note = self.watch.first?.findings.first(where: { $0.oddity == .delimiterInPreamble }) else { return }
        throw note.refusal
    }

    /// Returns the held bytes, because they are content.
    private mutating func release(at place: Int) throws(FormworkError) -> Event? {
        var held = self.delimiter[self.heldFrom..<self.matched]
        if !self.held.isEmpty { held += self.held }
        (self.matched, self.heldFrom) = (0, 0)
        self.held = []
        let start = self.bodyOffset(place) - Int64(held.count)
        guard self.isInPart else {
            try self.skipPreamble(held.count, from: start)
            if !self.watch.isEmpty { Array(held).withRawSpan { self.watchContent($0, 0..<$0.byteCount, at: start) } }
            for (index, byte) in held.enumerated() { self.lookAtPreamble(byte, at: start + Int64(index)) }
            return nil
        }
        guard !held.isEmpty else { return nil }
        self.noteContent(at: start)
        if !self.watch.isEmpty { Array(held).withRawSpan { self.watchContent($0, 0..<$0.byteCount, at: start) } }
        return .heldContent(Array(held.prefix(try self.allowance(for: held.count, from: start))))
    }

    /// Returns content, as much as the limit allows.
    private mutating func deliver(_ chunk: RawSpan, _ range: Range<Int>) throws(FormworkError) -> Event? {
        guard !range.isEmpty else { return nil }
        let start = self.bodyOffset(range.lowerBound)
        guard self.isInPart else {
            try self.skipPreamble(range.count, from: start)
            if !self.watch.isEmpty { self.watchContent(chunk, range, at: start) }
            for place in range { self.lookAtPreamble(chunk[place], at: self.bodyOffset(place)) }
            return nil
        }
        self.noteContent(at: start)
        if !self.watch.isEmpty { self.watchContent(chunk, range, at: start) }
        let allowed = try self.allowance(for: range.count, from: start)
        return .content(range.lowerBound..<range.lowerBound + allowed)
    }

    /// How many of `count` content bytes the limit allows. If it doesn't allow all, the next call fails.
    private mutating func allowance(for count: Int, from start: Int64) throws(FormworkError) -> Int {
        let left = self.contentLimit - self.contentBytes
        guard Int64(count) > left else {
            self.contentBytes += Int64(count)
            return count
        }
        let error = ParsingFailure(self.isFile ? .fileBytesLimit : .fieldBytesLimit, limit: self.contentLimit).error(
            "The \(self.isFile ? "file" : "field") in part \(self.parts) has more than \(self.contentLimit, "byte").",
            at: start + max(0, left))
        guard left > 0 else { throw error }
        self.failure = error
        return Int(left)
    }

    private mutating func lookAtPreamble(_ byte: UInt8, at offset: Int64) {
        guard byte != 0x0D, byte != 0x0A else {
            self.preambleLine = 2
            return
        }
        if !byte.isBlank { self.hasPreambleText = true }
        // A byte order mark or blanks before a delimiter hide it, but its sender meant one.
        if self.preambleLine == 2, byte.isBlank || [0xEF, 0xBB, 0xBF].contains(byte) {
            if offset == 2, byte == 0xBF { self.note(.byteOrderMark, at: 0) }
            return
        }
        guard self.preambleLine > 0 else { return }
        self.preambleLine = byte == self.delimiter[self.preambleLine] ? self.preambleLine + 1 : 0
        guard self.preambleLine == self.delimiter.count else { return }
        self.note(.delimiterInPreamble, at: offset + 1 - Int64(self.delimiter.count - 2))
        self.preambleLine = 0
    }

    private mutating func skipPreamble(_ count: Int, from start: Int64) throws(FormworkError) {
        guard !self.profile.refusesPreamble, !self.profile.refusesLooseFraming else {
            throw ParsingFailure(.preamble).error("The body doesn't begin with a delimiter.", at: start)
        }
        let left = self.limits.preambleBytes - self.preambleBytes
        guard Int64(count) <= left else {
            let limit = self.limits.preambleBytes
            throw ParsingFailure(.preambleBytesLimit, limit: limit)
                .error("There are more than \(limit, "byte") before the first delimiter.", at: start + left)
        }
        self.preambleBytes += Int64(count)
    }
}
