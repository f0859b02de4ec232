#if Transfer
    import ArgumentParser

    /// Seconds, fractions allowed: `1.5`.
    struct SecondsOption: ExpressibleByArgument {
        let duration: Duration

        init?(argument: String) {
            guard let seconds = Double(argument), seconds >= 0, seconds <= 1e9 else { return nil }
            self.duration = .microseconds(Int64((seconds * 1e6).rounded()))
        }
    }

    /// Bytes a second: `500k`.
    struct RateOption: ExpressibleByArgument {
        let bytesPerSecond: Int

        init?(argument: String) {
            guard let count = ByteCount(argument: argument)?.bytes, count >= 1 else { return nil }
            self.bytesPerSecond = Int(count)
        }
    }
#endif
