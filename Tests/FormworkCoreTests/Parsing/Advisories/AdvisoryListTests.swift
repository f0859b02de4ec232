import Foundation
import Testing

/// Every advisory that concerns those who read a form, and the test that holds it off.
@Suite("Advisories: the list", .timeLimit(.minutes(10))) struct AdvisoryListTests {
    static let held = [
        "CVE-2013-2186": ["nul"],
        "CVE-2014-0050": ["longBoundaries"],
        "CVE-2015-4024": ["folds"],
        "CVE-2016-3092": ["longBoundaries"],
        "CVE-2017-5638": ["errorText"],
        "CVE-2018-16789": ["truncation"],
        "CVE-2021-28658": ["paths"],
        "CVE-2021-31542": ["paths"],
        "CVE-2021-3466": ["boundaries"],
        "CVE-2022-24434": ["objectMembers"],
        "CVE-2022-29622": ["modes"],
        "CVE-2022-31019": ["depth", "nesting"],
        "CVE-2022-41725": ["files", "memory", "smallFiles"],
        "CVE-2022-44570": ["dispositions"],
        "CVE-2022-44571": ["dispositions"],
        "CVE-2022-44572": ["dispositions"],
        "CVE-2022-48279": ["hiddenParts"],
        "CVE-2023-0482": ["modes"],
        "CVE-2023-0662": ["firstErrorIsFinal"],
        "CVE-2023-24021": ["hiddenParts"],
        "CVE-2023-24536": ["files", "memory"],
        "CVE-2023-24998": ["parts"],
        "CVE-2023-25577": ["parts"],
        "CVE-2023-26048": ["fieldBytes"],
        "CVE-2023-27371": ["boundaries"],
        "CVE-2023-30798": ["fieldsAndFiles"],
        "CVE-2023-33251": ["modes"],
        "CVE-2023-34396": ["limits"],
        "CVE-2023-41835": ["cancelled", "limits"],
        "CVE-2023-46136": ["leadingLineEnd"],
        "CVE-2023-50164": ["parameterCase"],
        "CVE-2024-24762": ["contentTypes"],
        "CVE-2024-29025": ["bufferedFields"],
        "CVE-2024-30251": ["truncation"],
        "CVE-2024-47874": ["fieldBytes"],
        "CVE-2024-49767": ["fieldBytes"],
        "CVE-2024-53981": ["epilogue", "preamble"],
        "CVE-2024-8925": ["longBoundaries"],
        "CVE-2025-22150": ["boundaryBits"],
        "CVE-2025-46653": ["modes"],
        "CVE-2025-47287": ["firstErrorIsFinal"],
        "CVE-2025-47935": ["brokenOff", "cancelled", "malformed"],
        "CVE-2025-47944": ["brokenOff", "malformed"],
        "CVE-2025-48976": ["endlessHeaders"],
        "CVE-2025-48997": ["brokenOff", "names"],
        "CVE-2025-49007": ["dispositions"],
        "CVE-2025-54121": ["otherThread"],
        "CVE-2025-67725": ["manyParameters"],
        "CVE-2025-67726": ["manyParameters"],
        "CVE-2025-7338": ["malformed"],
        "CVE-2025-7783": ["boundaryBits"],
        "CVE-2026-2359": ["names"],
        "CVE-2026-24486": ["extended", "length", "paths"],
        "CVE-2026-3304": ["names"],
        "CVE-2026-34516": ["endlessHeaders"],
        "CVE-2026-34517": ["fieldBytes"],
        "CVE-2026-40347": ["epilogue", "preamble"],
        "CVE-2026-42561": ["endlessHeaders"],
        "CVE-2026-50269": ["injection"],
        "CVE-2026-5079": ["names"],
        "CVE-2026-53538": ["contentLength"],
        "CVE-2026-53539": ["contentLength"],
        "CVE-2026-53540": ["contentLength"],
        "CVE-2026-77063": ["names"],
        "CVE-2026-77078": ["names"],
        "GHSA-2vrm-gr82-f7m5": ["injection"],
        "GHSA-p543-xpfm-54cp": ["preambleIsNotStored"],
        "GHSA-qjxf-f2mg-c6mc": ["parts"],
        "GHSA-w9pc-fmgc-vxvw": ["fieldBytes"],
        "GHSA-wm7h-9275-46v2": ["objectMembers"],
        "GHSA-wpv5-97wm-hp9c": ["endlessHeaders"],
    ]

    @Test("Each number stands in the name of the tests that the list has for it, and of no other")
    func list() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let tests = (0..<3).reduce(folder) { url, _ in url.deletingLastPathComponent() }
        let elsewhere = [
            "FormworkTests/Receive/CollectorAdvisoryTests.swift", "FormworkURLEncodedTests/NameExpansionTests.swift",
        ]
        var found: [String: [String]] = [:]
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            + elsewhere.map({ tests.appendingPathComponent($0) })
        where file.pathExtension == "swift" && file.path != #filePath {
            // A test's name stands between `@Test` and `func`, its function's behind it.
            for test in try String(contentsOf: file, encoding: .utf8).split(separator: "@Test(").dropFirst() {
                let pieces = test.split(separator: "func ", maxSplits: 1)
                try #require(pieces.count == 2)
                let function = String(pieces[1].prefix { $0 != "(" })
                for id in pieces[0].matches(of: /(CVE-\d+-\d+|GHSA(-[0-9a-z]{4}){3})/) {
                    found[String(id.output.0), default: []].append(function)
                }
            }
        }
        #expect(found.mapValues { $0.sorted() } == Self.held)
    }
}
