import FormworkResumable

/// A complete form that the storage has, and whose large files it can place without their bytes being read.
struct StoredForm: Sendable {
    /// A large file.
    struct File: Hashable, Sendable {
        /// Its bytes in the form.
        var content: Range<Int64>
        /// Its SHA-256 in hexadecimal; `nil` if it isn't known.
        var sha256: String?
        /// The files with these bytes, one after another; none if the storage has them itself.
        var slices: [FinishedFile.Slice] = []

        /// Whether its bytes are those of one whole file.
        var isWholeFile: Bool { self.slices.count == 1 && self.slices[0].isWhole }
    }

    /// The resumable upload that contains this form.
    let upload: String
    /// The large files, in order.
    let files: [File]
    private let length: Int64
    private let source: @Sendable ([Range<Int64>]) -> BodySource
    /// The files by their offset in ``rest``.
    private let places: [Int64: File]

    /// - Parameter source: Gives the bytes of ranges of the form, one after another.
    init(
        upload: String, length: Int64, files: [File], source: @escaping @Sendable ([Range<Int64>]) -> BodySource
    ) {
        (self.upload, self.length, self.files, self.source) = (upload, length, files, source)
        var (places, left): ([Int64: File], Int64) = ([:], 0)
        for file in files {
            places[file.content.lowerBound - left] = file
            left += Int64(file.content.count)
        }
        self.places = places
    }

    /// A form in files of this process.
    /// - Parameter isDigesting: Whether only files with digests count.
    /// - Returns: `nil` if it isn't known where large files are in it.
    init?(_ upload: CompletedUpload, isDigesting: Bool) {
        let (map, files) = (upload.form?.files ?? [], upload.files)
        let known = map.filter { !isDigesting || $0.sha256 != nil }
        guard !known.isEmpty, !files.isEmpty else { return nil }
        let found = known.map { file in
            File(
                content: file.range, sha256: file.sha256.map { Hex.text(Array($0)) }, slices: files.slices(file.range))
        }
        self.init(upload: upload.name, length: upload.length, files: found) { ranges in
            .slices(ranges.flatMap(files.slices))
        }
    }

    /// Bytes that are stored once more when its files are.
    var copiedBytes: Int64 {
        self.files.reduce(self.length) { $1.isWholeFile ? $0 - Int64($1.content.count) : $0 }
    }

    /// The form as if these files were empty.
    var rest: BodySource {
        var (ranges, start): ([Range<Int64>], Int64) = ([], 0)
        for file in self.files {
            ranges.append(start..<file.content.lowerBound)
            start = file.content.upperBound
        }
        return self.source(ranges + [start..<self.length])
    }

    /// The bytes of a file.
    func content(of file: File) -> BodySource { self.source([file.content]) }

    /// The file whose content was left out at an offset of ``rest``; `nil` if none was.
    func file(at offset: Int64) -> File? { self.places[offset] }

    /// The offset in the form of an offset of ``rest``.
    func offset(of offset: Int64) -> Int64 {
        var offset = offset
        for file in self.files where file.content.lowerBound < offset { offset += Int64(file.content.count) }
        return offset
    }
}
