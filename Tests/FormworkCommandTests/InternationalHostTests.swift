@testable import FormworkCommand
import Testing

/// The names in ASCII are those of Python's encoder (`"…".encode("idna")`), but for ß, which stays a letter of its own.
@Suite(.timeLimit(.minutes(10))) struct InternationalHostTests {
    @Test(arguments: [
        ("münchen.invalid", "xn--mnchen-3ya.invalid"),
        ("MÜNCHEN.de", "xn--mnchen-3ya.de"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("中国.cn", "xn--fiqs8s.cn"),
        ("рф", "xn--p1ai"),
        ("россия.рф", "xn--h1alffa9f.xn--p1ai"),
        ("ελλάδα.gr", "xn--hxakic4aa.gr"),
        ("الأردن", "xn--igbhzh7gpa"),
        ("भारत", "xn--h2brj9c"),
        ("日本語.jp", "xn--wgv71a119e.jp"),
        ("한국.kr", "xn--3e0b707e.kr"),
        ("ไทย", "xn--o3cw4h"),
        ("ישראל.il", "xn--4dbrk0ce.il"),
        ("łódź.pl", "xn--d-uga0v4h.pl"),
        ("århus.dk", "xn--rhus-poa.dk"),
        ("ñandú.es", "xn--and-6ma2c.es"),
        ("правда1.рф", "xn--1-7sbahk7dh.xn--p1ai"),
        ("tūdaliņ.lv", "xn--tdali-d8a8w.lv"),
        ("việtnam.vn", "xn--vitnam-jk8b.vn"),
        ("straße.de", "xn--strae-oqa.de"), ("example.com", "example.com"), ("例え。jp", "xn--r8jz45g.jp"),
    ])
    func `Names outside ASCII have an ASCII form`(host: String, ascii: String) {
        #expect(InternationalHost.ascii(host) == ascii)
    }

    @Test(arguments: [
        "x\u{202E}y", "ａｂｃ.de", "mu\u{308}nchen.de", "-ü", "ü-", "ü b", "ﬁn", "a♥", "ü_a", "\u{302}ab",
        String(repeating: "ü", count: 64),
    ])
    func `What needs more than lower case is refused`(host: String) {
        #expect(InternationalHost.ascii(host) == nil)
    }
}
