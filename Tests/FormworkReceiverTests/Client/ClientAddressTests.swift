@testable import FormworkReceiver
import FormworkResumable
import Testing

/// Whose requests a proxy brings.
@Suite(.timeLimit(.minutes(10)))
struct ClientAddressTests {
    @Test func `Addresses are read as they are written`() {
        #expect(IPAddress("192.0.2.1")?.bytes == [192, 0, 2, 1])
        #expect(IPAddress("::1")?.bytes == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
        #expect(
            IPAddress("2001:db8::8:800:200c:417a")?.bytes == [32, 1, 13, 184, 0, 0, 0, 0, 0, 8, 8, 0, 32, 12, 65, 122])
        #expect(IPAddress("::ffff:192.0.2.1") == IPAddress("192.0.2.1"))
        #expect(IPAddress("fe80::1%eth0") == IPAddress("fe80::1"))
        #expect(IPAddress("::")?.bytes == [UInt8](repeating: 0, count: 16))
        for none in [
            "", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.-4", "::1::", "1:2:3:4:5:6:7:8:9", "12345::", "g::",
            "unknown",
        ] {
            #expect(IPAddress(none) == nil, "\(none)")
        }
        // One network of IPv6 is one client.
        #expect(IPAddress("2001:db8::1")?.key == IPAddress("2001:db8::2")?.key)
        #expect(IPAddress("2001:db8::1")?.key != IPAddress("2001:db8:0:1::1")?.key)
        #expect(IPAddress("192.0.2.1")?.key != IPAddress("192.0.2.2")?.key)
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("192.0.2.128/25", "192.0.2.129", true),
        ("192.0.2.128/25", "192.0.2.127", false), ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
        ("0.0.0.0/0", "8.8.8.8", true), ("fd00::/8", "fd12::1", true), ("fd00::/8", "fe00::1", false),
        ("0.0.0.0/0", "::1", false),
    ])
    func `A block has the addresses that begin so`(block: String, address: String, isIn: Bool) throws {
        #expect(try #require(AddressBlock(block)).contains(#require(IPAddress(address))) == isIn)
    }

    @Test(arguments: ["", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/+8", "::/129", "10.0.0.0/8/8"])
    func `An invalid block is not read`(text: String) { #expect(AddressBlock(text) == nil) }

    private func client(_ peer: String, _ fields: HTTPFields) throws -> (String, Bool) {
        let proxies = TrustedProxies([try #require(AddressBlock("10.0.0.0/8")), try #require(AddressBlock("::1"))])
        let client = proxies.client(of: ClientAddress(IPAddress(peer), text: peer), fields)
        return (client.text, client.isSecure)
    }

    @Test func `Only a trusted proxy can name a client`() throws {
        #expect(try self.client("192.0.2.9", [.xForwardedFor: "198.51.100.1"]) == ("192.0.2.9", false))
        #expect(try self.client("10.0.0.1", [.xForwardedFor: "198.51.100.1"]) == ("198.51.100.1", false))
        // The client's own claim comes before the address that the proxy saw.
        #expect(
            try self.client("10.0.0.1", [.xForwardedFor: "1.1.1.1, 198.51.100.1, 10.0.0.2"]) == ("198.51.100.1", false))
        #expect(
            try self.client("::1", [.forwarded: "for=1.1.1.1, for=\"[2001:db8::1]:4711\";proto=https"])
                == ("[2001:db8::1]:4711", true))
        // One `Character` with the comma after it.
        for claim in ["1.1.1.1\u{600}", "\u{600}", "\"\u{600}"] {
            for comma in [", ", ","] {
                #expect(
                    try self.client("10.0.0.1", [.xForwardedFor: claim + comma + "198.51.100.1"])
                        == ("198.51.100.1", false))
                #expect(
                    try self.client("10.0.0.1", [.forwarded: "for=" + claim + comma + "for=198.51.100.1"])
                        == ("198.51.100.1", false))
            }
        }
        #expect(try self.client("10.0.0.1", [.forwarded: "for=unknown"]) == ("10.0.0.1", false))
        #expect(try self.client("10.0.0.1", [.xForwardedFor: "a", .xForwardedProto: "https"]) == ("10.0.0.1", true))
        // A proxy sets one, and lets the other through.
        #expect(
            try self.client("10.0.0.1", [.xForwardedFor: "198.51.100.1", .forwarded: "for=1.1.1.1"]) == (
                "10.0.0.1", false
            ))
    }
}
