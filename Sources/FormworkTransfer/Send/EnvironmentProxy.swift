#if Transfer
import Formwork
import FormworkNIO
import FormworkClient
import FormworkValues

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A proxy from an environment variable, not from the command line.
struct EnvironmentProxy {
    private let variable: String
    private let url: String

    /// `nil` if the environment names none.
    init?(_ environment: [String: String], isSecure: Bool) {
        // In the order of ProxySettings.
        let names = (isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
        guard let name = names.first(where: { environment[$0]?.isEmpty == false }), let url = environment[name]
        else { return nil }
        (self.variable, self.url) = (name, url)
    }

    /// Names the variable in an error that is about the proxy.
    func explain(_ failure: any Error) -> any Error {
        guard var error = failure as? TransferError, self.isCause(of: error) else { return failure }
        error.message += "; the environment's \(self.variable) names this proxy: --noproxy '*' connects without it"
        return error
    }

    private func isCause(of error: TransferError) -> Bool {
        if error.code == .proxy { return true }
        if error.code == .invalidRequest {
            return error.message.hasPrefix("the proxy ") || error.message.hasPrefix("a proxy ")
        }
        let parts = URL(text: self.url.utf8.authorityStart != nil ? self.url : "http://\(self.url)")
        guard let parts, let host = parts.host(percentEncoded: true)?.lowercased(), !host.isEmpty else { return false }
        if error.code == .resolve { return error.message.hasPrefix("\(host):") }
        let port = parts.port ?? (parts.scheme?.lowercased() == "https" ? 443 : 1080)
        if [.connect, .timedOut].contains(error.code) { return error.message.contains("\(host):\(port)") }
        // An error about a server has no port there.
        return error.message.hasPrefix("\(host):\(port): ")
    }
}
#endif
