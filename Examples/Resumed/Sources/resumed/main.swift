import AsyncHTTPClient
import FormworkClient
import FormworkHummingbird
import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

// Sends a file to a server in this process, through a relay that breaks connections, with both protocols:
// resumed FILE FOLDER. Afterwards the files in FOLDER are equal to FILE.
guard CommandLine.arguments.count == 3 else {
    print("usage: resumed FILE FOLDER")
    exit(64)
}
let (file, folder) = (CommandLine.arguments[1], CommandLine.arguments[2])

// The server: complete files are stored in the folder, and unfinished uploads survive a cut.
let router = Router()
router.resumableUploads("files", into: folder)
let (ports, port) = AsyncStream.makeStream(of: Int.self)
var logger = Logger(label: "resumed")
logger.logLevel = .error
let app = Application(
    router: router, server: .http1ExpectContinue(),
    configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
    onServerRunning: { port.yield($0.localAddress?.port ?? 0) }, logger: logger)
let serving = Task { try await app.runService(gracefulShutdownSignals: []) }

// The client: the state is in a file, so another process could resume too.
for await target in ports {
    for choice in [ResumableChoice.auto, .tus] {
        let relay = try await Relay(to: target, cut: 1 << 20, left: 2)
        let form = FormData().appending(name: "photo", file: file)
        let monitor = UploadMonitor()
        let answer = try await HTTPClient.shared.upload(
            form.plan(), with: HTTPClientRequest(url: "http://127.0.0.1:\(relay.port)/files"),
            resuming: UploadResuming(by: choice, file: "\(folder).state"), options: UploadOptions(monitor: monitor))
        let upload = answer.upload
        print(
            answer.status.code, upload?.protocolName ?? "", upload?.resumptions ?? 0 >= 2 ? "resumed" : "not resumed",
            monitor.current.fractionCompleted ?? 0)
    }
    break
}
serving.cancel()
