@testable import FormworkClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOHTTPTypesHTTP2
import NIOPosix
import NIOSSL
import TestSupport
import Testing

extension NIOTests {
    @Suite("TLS and HTTP/2", .timeLimit(.minutes(10)))
    struct SecureTests {
        /// Counts the bytes received and answers with the number; sends an informational answer, and refuses `/large`
        /// at once.
        private final class Counter: ChannelInboundHandler {
            typealias InboundIn = HTTPRequestPart
            typealias OutboundOut = HTTPResponsePart
            private var count = 0
            private var isRefused = false
            private var path: String?

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                switch self.unwrapInboundIn(data) {
                case .head(let request):
                    let hints = HTTPResponse(status: .init(code: 104), headerFields: [.location: "/uploads/1"])
                    context.writeAndFlush(self.wrapOutboundOut(.head(hints)), promise: nil)
                    (self.path, self.isRefused) = (request.path, request.path == "/large")
                    if self.isRefused { self.respond(413, "too large", context) }
                case .body(let buffer): self.count += buffer.readableBytes
                case .end: if !self.isRefused { self.respond(200, "\(self.count)", context) }
                }
            }

            private func respond(_ status: Int, _ text: String, _ context: ChannelHandlerContext) {
                var head = HTTPResponse(
                    status: .init(code: status), headerFields: [.contentLength: "\(text.utf8.count)"])
                // HPACK makes less than a frame of it.
                if self.path == "/head" { head.headerFields[.server] = String(repeating: "a", count: 20_000) }
                context.write(self.wrapOutboundOut(.head(head)), promise: nil)
                context.write(self.wrapOutboundOut(.body(ByteBuffer(string: text))), promise: nil)
                context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
            }
        }

        /// Runs a server with a certificate of its own for localhost.
        private func withServer(
            offering protocols: [String], asksForCertificate: Bool = false, newest: TLSVersion? = nil,
            names: String = "DNS:localhost",
            _ body: (Int, FilePath) async throws -> Void
        ) async throws {
            let folder = TemporaryFolder()
            let (key, certificate) = (folder.path.appending("key.pem"), folder.path.appending("cert.pem"))
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments =
                "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
                .split(separator: " ").map(String.init)
                + ["-addext", "subjectAltName=\(names)", "-keyout", key.string, "-out", certificate.string]
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMFile(certificate.string).map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: key.string, format: .pem)))
            configuration.applicationProtocols = protocols
            configuration.minimumTLSVersion = .tlsv1
            configuration.maximumTLSVersion = newest
            if asksForCertificate {
                configuration.certificateVerification = .noHostnameVerification
                configuration.trustRoots = .file(certificate.string)
            }
            let context = try NIOSSLContext(configuration: configuration)
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let channel = try await ServerBootstrap(group: group).childChannelInitializer { channel in
                do {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                } catch { return channel.eventLoop.makeFailedFuture(error) }
                return channel.configureHTTP2SecureUpgrade(
                    h2ChannelConfigurator: { channel in
                        channel.configureHTTP2Pipeline(mode: .server) { stream in
                            stream.eventLoop.makeCompletedFuture {
                                try stream.pipeline.syncOperations.addHandlers(
                                    HTTP2FramePayloadToHTTPServerCodec(), Counter())
                            }
                        }.map { _ in }
                    },
                    http1ChannelConfigurator: { channel in
                        channel.eventLoop.makeCompletedFuture {
                            let pipeline = channel.pipeline.syncOperations
                            try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false)
                            try pipeline.addHandlers(HTTP1ToHTTPServerCodec(secure: true), Counter())
                        }
                    })
            }.bind(host: "127.0.0.1", port: 0).get()
            do {
                try await body(channel.localAddress?.port ?? 0, certificate)
                try await group.shutdownGracefully()
            } catch {
                try await group.shutdownGracefully()
                throw error
            }
        }

        private struct Seen: Equatable {
            var status: Int
            var text: String
            var isHTTP2: Bool
            var isBodyComplete: Bool
        }

        private func exchange(
            _ port: Int, _ options: FormClient.Options, host: String = "localhost", path: String = "/",
            count: Int = 3_000_000, told: Told = Told()
        ) async throws -> Seen {
            try await FormClient(options: options).exchange(
                HTTPRequest(to: "https://\(host):\(port)\(path)"),
                body: ExchangeBody(form(.bytes(noise(count))).plan()),
                informed: { told.add("\($0.status.code) \($0.headerFields[.location] ?? "")") }
            ) { answer in
                let text = String(buffer: try await answer.body.collect(upTo: 100).bytes)
                return Seen(
                    status: answer.head.status.code, text: text, isHTTP2: answer.version == .http2,
                    isBodyComplete: answer.isBodyComplete)
            }
        }

        @Test("TLS 1.2 is the oldest version")
        func oldVersions() async throws {
            try await self.withServer(offering: ["http/1.1"], newest: .tlsv12) { port, certificate in
                let trusting = FormClient.Options(tls: .init(trustedCertificates: certificate))
                let seen = try await self.exchange(port, trusting)
                #expect(seen.status == 200)
            }
            try await self.withServer(offering: ["http/1.1"], newest: .tlsv11) { port, certificate in
                let trusting = FormClient.Options(tls: .init(trustedCertificates: certificate))
                await #expect(throws: TransferError.self) { try await self.exchange(port, trusting) }
            }
        }

        @Test("HTTP/2 where it is negotiated, HTTP/1.1 where not; informational answers in both")
        func versions() async throws {
            try await self.withServer(offering: ["h2", "http/1.1"]) { port, certificate in
                var options = FormClient.Options(tls: .init(trustedCertificates: certificate))
                options.expectationThreshold = nil
                for (version, isHTTP2) in [(.negotiated, true), (.http1, false), (.http2, true)]
                    as [(FormClient.Options.Version, Bool)]
                {
                    options.version = version
                    let told = Told()
                    let seen = try await self.exchange(port, options, told: told)
                    #expect(seen == Seen(status: 200, text: "3000144", isHTTP2: isHTTP2, isBodyComplete: true))
                    #expect(told.words == ["104 /uploads/1"])
                }
                options.version = .negotiated
                let long = try await self.exchange(port, options, path: "/head", count: 10)
                #expect(long.isHTTP2 && long.status == 200)
                let early = try await self.exchange(port, options, path: "/large", count: 30_000_000)
                #expect(early == Seen(status: 413, text: "too large", isHTTP2: true, isBodyComplete: false))
            }
            try await self.withServer(offering: ["http/1.1"]) { port, certificate in
                let options = FormClient.Options(tls: .init(trustedCertificates: certificate))
                let seen = try await self.exchange(port, options, count: 10)
                #expect(!seen.isHTTP2)
                var only = options
                only.version = .http2
                let error = await #expect(throws: TransferError.self) {
                    try await self.exchange(port, only, count: 10)
                }
                #expect(error?.code == .tls)
            }
        }

        /// With TLS 1.3 the client has joined, and may have sent, when it hears of it (RFC 8446 section 4.4.2.4).
        @Test(
            "A server that asks for a certificate takes the right one, and its refusal is told", arguments: [0, 1])
        func clientCertificate(_ http2: Int) async throws {
            let protocols = http2 == 1 ? ["h2"] : ["http/1.1"]
            try await self.withServer(offering: protocols, asksForCertificate: true) { port, certificate in
                let key = certificate.removingLastComponent().appending("key.pem")
                var options = FormClient.Options(
                    tls: .init(trustedCertificates: certificate, certificate: certificate, privateKey: key))
                let seen = try await self.exchange(port, options)
                #expect(seen.status == 200)
                options.tls = .init(trustedCertificates: certificate)
                let error = await #expect(throws: TransferError.self) { try await self.exchange(port, options) }
                #expect(error?.code == .tls)
                #expect(error?.message.contains("accepts only clients with a certificate") == true, "\(error as Any)")
            }
        }

        @Test("An untrusted certificate, or another host's, is refused by default")
        func trust() async throws {
            try await self.withServer(offering: ["h2", "http/1.1"]) { port, certificate in
                func failure(_ options: FormClient.Options, _ host: String = "localhost") async -> TransferError
                    .Code?
                {
                    do {
                        _ = try await self.exchange(port, options, host: host, count: 10)
                        return nil
                    } catch { return (error as? TransferError)?.code }
                }
                #expect(await failure(.init()) == .certificate)
                #expect(
                    await failure(.init(tls: .init(trustedCertificates: certificate)), "127.0.0.1") == .certificate)
                #expect(await failure(.init(tls: .init(verifiesServer: false)), "127.0.0.1") == nil)
                #expect(await failure(.init(tls: .init(trustedCertificates: "/nope"))) == .trustAnchors)
                #expect(await failure(.init(tls: .init(certificate: "/nope"))) == .localCertificate)
            }
        }

        @Test(
            "A certificate has the URL's host; the address that is connected to doesn't count",
            arguments: [
                ("DNS:a.test,IP:127.0.0.1", ["a.test", "A.test", "127.0.0.1"], ["b.test", "127.0.0.2", "a.b.test"]),
                ("DNS:*.test,DNS:c.test", ["a.test", "c.test"], ["a.b.test", "test", "127.0.0.1"]),
                ("IP:127.0.0.2,IP:::2", ["127.0.0.2", "[::2]"], ["127.0.0.1", "[::1]", "a.test"]),
                ("email:a@b.test,IP:127.0.0.1", ["127.0.0.1"], ["localhost", "b.test"]),
            ])
        func hosts(names: String, right: [String], wrong: [String]) async throws {
            try await self.withServer(offering: ["http/1.1"], names: names) { port, certificate in
                var options = FormClient.Options(tls: .init(trustedCertificates: certificate))
                options.addresses["*:\(port)"] = "127.0.0.1"
                for host in right {
                    let seen = try await self.exchange(port, options, host: host, count: 10)
                    #expect(seen.status == 200, "\(host)")
                }
                for host in wrong {
                    let error = await #expect(throws: TransferError.self) {
                        try await self.exchange(port, options, host: host, count: 10)
                    }
                    #expect(error?.code == .certificate, "\(host): \(error as Any)")
                    #expect(error?.message.hasSuffix("the server's certificate is another host's") == true)
                    var proxied = options
                    proxied.proxies = ProxySettings(url: "https://\(host):\(port)")
                    let other = await #expect(throws: TransferError.self) {
                        try await self.exchange(port, proxied, host: "upload.invalid", count: 10)
                    }
                    #expect(other?.message == "\(host):\(port): the proxy's certificate is another host's")
                }
            }
        }
    }
}
