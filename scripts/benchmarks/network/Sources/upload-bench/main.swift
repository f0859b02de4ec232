// Sends files as a form with AsyncHTTPClient, as an app does: `upload-bench URL FILE…`. Prints the answer.
import AsyncHTTPClient
import Formwork
import FormworkClient

var form = FormData()
form.append(name: "a", value: "1")
for (name, path) in zip(["f", "g"], CommandLine.arguments.dropFirst(2)) {
    form.append(name: name, file: path)
}
let request = HTTPClientRequest(url: CommandLine.arguments[1])
let answer = try await HTTPClient.shared.upload(form, with: request, options: UploadOptions(timeout: .seconds(600)))
print(String(buffer: try await answer.response.body.collect(upTo: 1 << 10)), terminator: "")
