#if Command
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("formwork type, and types of what is sent", .timeLimit(.minutes(10)))
struct TypeCommandTests {
    static let png = "\\x89PNG\\r\\n\\x1a\\n\\0\\0\\0\\x0dIHDR\\0\\0\\0\\x01\\0\\0\\0\\x01\\x08\\x06\\0\\0\\0"

    @Test("Each line has type, detector, reason and file; one that can't be read doesn't keep the others back")
    func lines() throws {
        let folder = TemporaryFolder()
        let result = try Command.shell(
            """
            printf '\(Self.png)' > a.txt; printf '<!DOCTYPE html><html>' > b.jpg; echo x > c.css; : > d.pdf
            echo plain > e; "$F" type a.txt nope b.jpg c.css d.pdf e; echo $?; "$F" type --charset --json e | tr -d ' \\n'
            printf '\(Self.png)' | "$F" type - --from content; "$F" type --from extension a.txt e
            """, in: folder.path.string)
        #expect(
            result.text == """
                image/png\tcontent\tcontent: another signature than .txt\ta.txt
                text/html\tcontent\tcontent: text, not .jpg\tb.jpg
                text/css\textension\textension .css\tc.css
                application/octet-stream\tnone\tno content\td.pdf
                text/plain\tcontent\tcontent, by libmagic\te
                26
                {"files":[{"file":"e","type":"text/plain;charset=us-ascii","detector":"content","reason":"content,bylibmagic",\
                "error":null}],"exitStatus":0,"error":null}\
                image/png\tcontent\tcontent, by libmagic\t-
                text/plain\textension\textension .txt\ta.txt
                application/octet-stream\tnone\tno type known for this name\te

                """)
        #expect(result.errors == "formwork: nope: can't be read (No such file or directory)\n")
    }

    @Test("Uploads and standard input are typed by name and content, and what was looked at is sent")
    func uploads() throws {
        let folder = TemporaryFolder()
        let result = try Command.shell(
            """
            printf '<svg xmlns="http://www.w3.org/2000/svg"/>' > a.jpg
            printf '\(Self.png)' | "$F" body --boundary b -F f=@a.jpg -F s=@- -F 't=@a.jpg;type=x/y' > body
            grep -a Content-Type body; grep -ac '<svg' body; grep -ac IHDR body
            """, in: folder.path.string)
        #expect(
            result.text
                == "Content-Type: image/svg+xml\r\nContent-Type: image/png\r\nContent-Type: x/y\r\n2\n1\n",
            "\(result.errors)")
    }

    @Test("Without libmagic's database names decide, and a warning says so")
    func noDatabase() throws {
        let folder = TemporaryFolder()
        let result = try Command.shell(
            "echo x > a.css; MAGIC=/nonexistent \"$F\" headers -F f=@a.css --boundary b", in: folder.path.string)
        #expect(result.status == 0)
        #expect(result.text == "Content-Type: multipart/form-data; boundary=b\nContent-Length: 102\n")
        #expect(
            result.errors.hasPrefix(
                "formwork: warning: libmagic's database can't be loaded: MAGIC names /nonexistent: correct or unset it ("
            ), "\(result.errors)")
        #expect(result.errors.hasSuffix("types are found by names alone\n"))
    }

    @Test("What is wrong inside a multipart or a list names its argument")
    func places() throws {
        func errors(_ arguments: String) throws -> String {
            try Command.shell("\"$F\" body \(arguments) 2>&1 > /dev/null").text
        }
        #expect(
            try errors("-F a=1 -F 'm=(' -F b=2 -F f=@nope -F '=)'")
                == "formwork: -F f=@nope: nope can't be read (No such file or directory)\n")
        #expect(
            try errors("-F f=@/etc/hostname,nope")
                == "formwork: -F f=@/etc/hostname,nope: nope can't be read (No such file or directory)\n")
        #expect(
            try errors("-F a=1 -H 'X-Y: 1'")
                == "formwork: -H 'X-Y: …': is a header of the request, not of the body: leave it out\n")
        #expect(
            try errors("-F 'a=(' -F b=1").contains("the form ends inside 1 multipart begun with '=(': add -F '=)'"))
        #expect(try errors("-F =1").contains("part 1 has no name, which RFC 7578"))
    }

    @Test("Another multipart type, with a boundary of its own")
    func outerType() throws {
        let result = try Command.run(
            "headers", "-H", "content-type: multipart/related; type=\"a/b\"; boundary=\"--x y\"", "-F", "a=1")
        #expect(
            result.text == "Content-Type: multipart/related; type=\"a/b\"; boundary=\"--x y\"\nContent-Length: 68\n",
            "\(result.text)")
        let dashes = try Command.run("headers", "--boundary", "----b", "-F", "a=1")
        #expect(dashes.text == "Content-Type: multipart/form-data; boundary=----b\nContent-Length: 67\n")
    }

    @Test("Quoted-printable has a length on request")
    func prescan() throws {
        let without = try Command.run("headers", "--boundary", "b", "-F", "a=ü;encoder=quoted-printable")
        #expect(without.text == "Content-Type: multipart/form-data; boundary=b\n")
        #expect(without.errors == "formwork: no Content-Length: part 1 \"a\": quoted-printable that isn't measured\n")
        let with = try Command.run("headers", "--boundary", "b", "-F", "a=ü;encoder=quoted-printable", "--prescan")
        #expect(with.text == "Content-Type: multipart/form-data; boundary=b\nContent-Length: 109\n")
    }
}
#endif
