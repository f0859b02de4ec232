import FormworkFoundation

extension MultipartFormData {
    /// The form in Formwork's own type, to send it, and to add parts that Alamofire's interface can't express.
    /// - Throws: The first failure of an `append`, and ``AFError/multipartEncodingFailed(reason:)`` for an invalid
    ///   boundary.
    public var form: FormData {
        get throws(AFError) { try self.form(for: .memory) }
    }

    /// The plan of the body, with every byte decided, to be read or sent directly from its sources.
    ///
    /// It contains the parts that were appended so far. Its readers throw ``FormworkError``.
    /// - Throws: What ``form`` throws, and ``AFError/multipartEncodingFailed(reason:)`` for a file that has changed
    ///   since it was appended.
    public func plan() throws(AFError) -> BodyPlan { try self.plan(for: .memory) }

    private func form(for destination: MultipartFormDataPart.Destination) throws(AFError) -> FormData {
        if let failure = self.failure { throw failure }
        let isSafe = self.compatibility == .safe
        do throws(FormworkError) {
            var form = FormData(
                framing: MultipartFraming(
                    boundary: try Boundary(self.boundary), escaping: isSafe ? .whatwg : .raw, emptyForm: .nothing,
                    quoting: isSafe ? .whenNeeded : .never))
            for part in self.parts { form.append(part.bodyPart(for: destination)) }
            return form
        } catch { throw self.translated(error) }
    }

    func plan(for destination: MultipartFormDataPart.Destination) throws(AFError) -> BodyPlan {
        let form = try self.form(for: destination)
        return try self.reading { () throws(FormworkError) in try form.plan() }
    }

    /// Runs a closure that may read parts, and translates its errors into Alamofire's.
    func reading<Result>(_ body: () throws(FormworkError) -> Result) throws(AFError) -> Result {
        for part in self.parts { part.stream?.count = 0 }
        do throws(FormworkError) { return try body() } catch { throw self.translated(error) }
    }

    private func translated(_ error: FormworkError) -> AFError {
        switch error.code {
        case .writeFailed: return .multipartEncodingFailed(reason: .outputStreamWriteFailed(error: error))
        case .lengthMismatch, .notReplayable:
            guard let index = error.part?.index, self.parts.indices.contains(index),
                let stream = self.parts[index].stream
            else { break }
            let length = AFError.UnexpectedInputStreamLength(
                bytesExpected: self.parts[index].length, bytesRead: stream.count)
            return .multipartEncodingFailed(reason: .inputStreamReadFailed(error: length))
        default: break
        }
        return .multipartEncodingFailed(reason: .inputStreamReadFailed(error: error))
    }
}
