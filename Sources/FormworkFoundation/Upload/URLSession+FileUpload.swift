import Formwork
import Foundation
import SystemPackage

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSession {
    /// Writes a body to a file and makes a task that uploads the file, not yet started.
    ///
    /// It is for background sessions, which accept only files: the system sends them even when the app doesn't run, and
    /// sends them again after a redirect or a 401 by itself. Remove the file when the task has ended. `GET` becomes
    /// `POST`. The call blocks its thread while it writes.
    /// - Parameters:
    ///   - plan: The body.
    ///   - request: The request; its body is ignored.
    ///   - file: Where to write. It appears when it is complete, and replaces another file.
    ///   - options: Options for the body's reader.
    /// - Throws: The reader's errors, and ``FormworkError/Code/writeFailed``. Then there is no file.
    public func uploadTask(
        _ plan: BodyPlan, with request: URLRequest, writtenTo file: some PathConvertible,
        options: ReaderOptions = ReaderOptions()
    ) throws(FormworkError) -> URLSessionUploadTask {
        let path = file.filePath
        try plan.makeReader(options: options).write(toFile: path)
        var request = request
        if request.httpMethod == "GET" { request.httpMethod = "POST" }
        (request.httpBody, request.httpBodyStream) = (nil, nil)
        request.setValue(plan.contentType, forHTTPHeaderField: "Content-Type")
        return self.uploadTask(with: request, fromFile: URL(fileURLWithPath: path.string))
    }
}
