extension FormFile: CustomStringConvertible {
    /// The file without its content: `file (beach.jpg, image/jpeg), 90210 bytes`.
    public var description: String {
        "\(Summary.file(filename: self.filename, contentType: self.contentType)), \(self.source)"
    }
}
