import Formwork

/// Observes a request's body as it arrives. It never fails before the body's end.
struct BodyObserver: Sendable {
    private enum Reading: Sendable {
        case form(FormObserver)
        case urlEncoded
        case failed(FormworkError)
    }

    private var reading: Reading
    private(set) var content: ContentObserver
    private var digests: [any BodyDigest]

    init(contentType: String?, keeping: Int, digests: [any BodyDigest]) {
        self.content = ContentObserver(room: keeping)
        self.digests = digests
        do throws(FormworkError) {
            self.reading =
                ReceivedForm.isURLEncoded(contentType)
                ? .urlEncoded : .form(try FormObserver(contentType: contentType ?? "", keeping: keeping))
        } catch {
            self.reading = .failed(error)
        }
    }

    mutating func take(_ bytes: RawSpan) {
        for index in self.digests.indices { self.digests[index].update(bytes) }
        self.content.takeUnchecked(bytes)
        guard case .form(var observer) = self.reading else { return }
        // Released, so that the observer isn't copied.
        self.reading = .urlEncoded
        do throws(FormworkError) {
            try observer.take(bytes)
            self.reading = .form(observer)
        } catch {
            self.reading = .failed(error)
        }
    }

    /// The digests of the bytes so far.
    var digestValues: [DigestValue] {
        self.digests.map { DigestValue(algorithm: type(of: $0).algorithm, bytes: $0.finalized()) }
    }

    /// The form, after the body's end.
    func form() -> Result<ObservedForm, FormworkError> {
        do throws(FormworkError) {
            switch self.reading {
            case .form(var observer): return .success(try observer.form())
            case .failed(let error): throw error
            case .urlEncoded:
                guard let bytes = self.content.bytes else {
                    throw FormworkError(
                        .limitExceeded,
                        "url-encoded text of \(self.content.count, "byte") isn't kept: raise the receiver's `keeping`")
                }
                let form = try ReceivedForm(
                    bytes, contentType: "application/x-www-form-urlencoded", limits: .none)
                return .success(
                    ObservedForm(
                        form.map { entry in
                            var content = ContentObserver(room: .max)
                            (entry.content.inMemory ?? []).withRawSpan { content.take($0) }
                            return ObservedForm.Part(header: entry.header, content: content)
                        }))
            }
        } catch {
            return .failure(error)
        }
    }
}

/// Observes content as it passes: its length, its checksum, checksums along the way that locate a difference, and the
/// bytes themselves if there is room.
struct ContentObserver: Sendable {
    /// The precision with which a difference is located in content that isn't kept.
    static let markDistance = 64 << 10

    private(set) var count: Int64 = 0
    private(set) var checksum = CRC32C()
    /// The checksum of all bytes so far, at every whole multiple of ``markDistance``.
    private(set) var marks: [UInt32] = []
    /// `nil` after more than `room` bytes.
    private(set) var bytes: [UInt8]? = []
    private let room: Int

    init(room: Int) { self.room = room }

    mutating func take(_ piece: RawSpan) {
        self.keep(piece)
        var place = 0
        while place < piece.byteCount {
            let toMark = Self.markDistance - Int(self.count % Int64(Self.markDistance))
            let step = min(toMark, piece.byteCount - place)
            self.checksum.update(piece.extracting(place..<place + step))
            self.count += Int64(step)
            if step == toMark { self.marks.append(self.checksum.value) }
            place += step
        }
    }

    /// Counts and keeps bytes without a checksum.
    mutating func takeUnchecked(_ piece: RawSpan) {
        self.keep(piece)
        self.count += Int64(piece.byteCount)
    }

    private mutating func keep(_ piece: RawSpan) {
        if let count = self.bytes?.count {
            if piece.byteCount > self.room - count {
                self.bytes = nil
            } else {
                self.bytes?.append(piece, 0..<piece.byteCount)
            }
        }
    }
}
