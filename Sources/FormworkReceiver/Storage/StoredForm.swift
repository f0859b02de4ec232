#if Transfer
import Formwork

/// A complete form that the storage has, and whose large files it can place without their bytes being read.
package struct StoredForm: Sendable {
    /// A large file.
    package struct File: Hashable, Sendable {
        /// Its bytes in the form.
        package var content: Range<Int64>
        /// Its SHA-256 in hexadecimal; `nil` if it isn't known.
        package var sha256: String?
    }

    /// The name of the resumable upload that it is.
    package let upload: String
    /// The large files, in order.
    package let files: [File]
    private let length: Int64
    private let source: @Sendable ([Range<Int64>]) -> BodySource
    /// The files by their offset in ``rest``.
    private let places: [Int64: File]

    /// - Parameter source: Gives the bytes of ranges of the form, one after another.
    package init(
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

    /// The form as if these files were empty.
    package var rest: BodySource {
        var (ranges, start): ([Range<Int64>], Int64) = ([], 0)
        for file in self.files {
            ranges.append(start..<file.content.lowerBound)
            start = file.content.upperBound
        }
        return self.source(ranges + [start..<self.length])
    }

    /// The bytes of a file.
    package func content(of file: File) -> BodySource { self.source([file.content]) }

    /// The file whose content was left out at an offset of ``rest``; `nil` if none was.
    package func file(at offset: Int64) -> File? { self.places[offset] }

    /// The offset in the form of an offset of ``rest``.
    package func offset(of offset: Int64) -> Int64 {
        var offset = offset
        for file in self.files where file.content.lowerBound < offset { offset += Int64(file.content.count) }
        return offset
    }
}
#endif
