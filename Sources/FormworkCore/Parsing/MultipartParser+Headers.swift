// Header sections: read in place if they are complete in one chunk, otherwise collected.

extension MultipartParser {
    /// Counts a part before its header section is read.
    mutating func beginPart(at place: Int) throws(FormworkError) {
        self.parts += 1
        guard self.parts <= self.limits.parts else {
            throw ParsingFailure(.partsLimit, limit: Int64(self.limits.parts))
                .error("The body has more than \(self.limits.parts, "part").", at: self.bodyOffset(place))
        }
        self.lines = HeaderLines()
        self.state = .headers
    }

    mutating func readHeaders(
        _ chunk: RawSpan, _ position: inout Int, _ end: Int
    ) throws(FormworkError) -> Event? {
        let limit = min(self.headerLimit, self.headerBytesLeft)
        if self.takesPlainFields, self.held.isEmpty, let field = PlainField(chunk, from: position, to: end),
            field.count <= limit, field.name.count <= self.limits.nameBytes
        {
            let start = self.bodyOffset(position)
            let header = ReceivedHeader(
                plain: [UInt8](copying: chunk, position..<position + field.count - 2), name: field.name, self.profile)
            position += field.count
            self.headerBytesLeft -= field.count
            return try self.contentBegins(header, at: start)
        }
        while position < end {
            let stop = end - position > limit - self.held.count ? position + limit - self.held.count : end
            let start = self.bodyOffset(position) - Int64(self.held.count)
            let next = self.wholeLines(chunk, from: position, to: stop)
            if self.held.isEmpty {
                self.held = [UInt8](copying: chunk, position..<next)
            } else {
                self.held.append(chunk, position..<next)
            }
            position = next
            defer {
                if self.lines.bareLineFeed >= 0 {
                    self.note(.bareLineFeed, at: start + Int64(self.lines.bareLineFeed))
                }
            }
            let isWhole = try self.lines.read(
                self.held, self.profile, countLimit: self.limits.headerCount, at: start)
            if isWhole { return try self.partBegan(at: start) }
            guard position < end, self.held.count >= limit else { continue }
            if limit < self.headerLimit {
                throw self.limitCrossed(
                    .totalHeaderBytesLimit, Int64(self.limits.totalHeaderBytes), "The total of all header sections",
                    at: position)
            }
            throw self.limitCrossed(.headerBytesLimit, Int64(limit), "A part's header section", at: position)
        }
        return .needsInput
    }

    /// The end of the section if it began here, otherwise the end of the next line; `stop` if there is none.
    ///
    /// So a section that is complete in one chunk is copied once, into an array of its size.
    private func wholeLines(_ chunk: RawSpan, from start: Int, to stop: Int) -> Int {
        let isWholeSection = self.held.isEmpty
        var at = start
        while true {
            at = chunk.firstIndex(of: 0x0A, from: at, to: stop)
            guard at < stop else { return stop }
            if !isWholeSection || self.isEmptyLine(chunk, endingAt: at, from: start) { return at + 1 }
            at += 1
        }
    }

    private func isEmptyLine(_ chunk: RawSpan, endingAt at: Int, from start: Int) -> Bool {
        var begin = at
        if begin > start, chunk[begin - 1] == 0x0D {
            begin -= 1
        } else if !self.profile.lineFeedsEndLines {
            return false
        }
        guard begin > start else { return true }
        guard chunk[begin - 1] == 0x0A else { return false }
        return self.profile.lineFeedsEndLines || (begin - 2 >= start && chunk[begin - 2] == 0x0D)
    }

    private mutating func partBegan(at start: Int64) throws(FormworkError) -> Event {
        self.headerBytesLeft -= self.held.count
        var section: [UInt8] = []
        swap(&section, &self.held)
        section.removeLast(section.count > 1 && section[section.count - 2] == 0x0D ? 2 : 1)
        let header = try ReceivedHeader(
            section, self.lines, self.profile, nameLimit: self.limits.nameBytes, at: start)
        return try self.contentBegins(header, at: start)
    }

    private mutating func contentBegins(_ header: ReceivedHeader, at start: Int64) throws(FormworkError) -> Event {
        self.isFile = header.isFile
        self.contentOddity = header.contentOddity
        if !self.watch.isEmpty { try self.watchPart(header, at: start) }
        self.headerOffset = start
        let (kind, limit, count): (ParsingFailure.Kind, Int, Int)
        if self.isFile {
            self.files += 1
            (kind, limit, count) = (.filesLimit, self.limits.files, self.files)
        } else {
            self.fields += 1
            (kind, limit, count) = (.fieldsLimit, self.limits.fields, self.fields)
        }
        guard count <= limit else {
            throw ParsingFailure(kind, limit: Int64(limit))
                .error("The body has more than \(limit) \(self.isFile ? "files" : "fields").", at: start)
        }
        self.isInPart = true
        self.contentBytes = 0
        self.contentLimit = self.isFile ? self.limits.fileBytes : self.limits.fieldBytes
        if self.limits.dependsOnNames { try self.limitContent(of: header, at: start) }
        // The empty line's CRLF also belongs to a delimiter that directly follows.
        (self.matched, self.heldFrom) = (2, 2)
        self.state = .searching
        return .partBegan(header)
    }

    private mutating func limitContent(of header: ReceivedHeader, at start: Int64) throws(FormworkError) {
        do throws(ParsingFailure) {
            self.contentLimit = try self.limits.contentBytes(of: header.name, isFile: self.isFile)
        } catch {
            throw error.error(ParsingFailure.unknownNameMessage, at: start)
                .naming(PartReference(index: self.parts - 1, name: header.name))
        }
    }
}
