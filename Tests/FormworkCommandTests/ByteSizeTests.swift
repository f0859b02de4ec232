import FormworkCommand
import Testing

@Suite("Byte sizes for people", .timeLimit(.minutes(10)))
struct ByteSizeTests {
    @Test(
        arguments: [
            (0, "0 B"), (1, "1 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1280, "1.3 KiB"), (1536, "1.5 KiB"),
            (102_347, "99.9 KiB"), (102_349, "100 KiB"), (1_048_063, "1023 KiB"), (1_048_064, "1.0 MiB"),
            (109_051_904, "104 MiB"), (5_000_000_000, "4.7 GiB"), (1 << 50, "1.0 PiB"), (.max, "8192 PiB"),
        ] as [(Int64, String)])
    func `Sizes are read easily`(size: Int64, text: String) {
        #expect(size.asByteSize == text)
    }
}
