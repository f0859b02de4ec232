import Testing

@testable import FormworkReceiver

/// Answers of stores, and documents that must not be read as answers.
@Suite(.timeLimit(.minutes(10)))
struct XMLResponseTests {
    @Test func `An answer's elements, text, references and CDATA are read`() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- a --><s3:Result xmlns:s3='http://a/?b="c"'>
              <Key>a&amp;&lt;&gt;&quot;&apos;&#252;&#x1F389;</Key><Empty/><Data><![CDATA[<b>&amp;]]></Data>
              <Upload><Key>1</Key></Upload><Upload ><Key >2</Key ></Upload >
            </s3:Result>

            """
        let xml = try #require(XMLResponse(text.utf8))
        #expect(xml.name == "Result")
        #expect(xml["Key"] == "a&<>\"'ü🎉")
        #expect(xml["Empty"] == "")
        #expect(xml["Data"] == "<b>&amp;")
        #expect(xml["None"] == nil)
        #expect(xml.children.filter { $0.name == "Upload" }.map { $0["Key"] } == ["1", "2"])
    }

    @Test(
        arguments: [
            "", "text", "<a>", "<a></b>", "<a/><b/>", "<a>&b;</a>", "<a>&#xD800;</a>", "<a>&#99999999;</a>",
            "<a>&amp</a>",
            "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<a b=c/>", "<a b='<'/>", "<a><![CDATA[</a>", "<a", "</a>",
            "<a/>b",
            "<html><br><p></html>",
        ])
    func `An invalid answer is not read`(text: String) {
        #expect(XMLResponse(text.utf8) == nil)
    }

    @Test func `Nesting is limited, and invalid UTF-8 is refused`() {
        let deep = String(repeating: "<a>", count: 100_000)
        #expect(XMLResponse(deep.utf8) == nil)
        #expect(XMLResponse([0x3C, 0x61, 0x3E, 0xFF, 0x3C, 0x2F, 0x61, 0x3E]) == nil)
    }
}
