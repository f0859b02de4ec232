#if Transfer
import Formwork
import Synchronization

/// The memory that text fields use in all forms together. They are held until the form's answer, which repeats them,
/// has been sent.
package final class FieldMemory: Sendable {
    private let limit: Int64
    private let taken = Mutex<Int64>(0)

    /// - Parameter limit: Bytes. With the copies in answers, the memory used is a small multiple of this.
    package init(limit: Int64) { self.limit = limit }

    /// 64 MiB, or more if the limits allow more for a single form with every byte escaped.
    convenience init(_ limits: ReceivingLimits) {
        let values = limits.allFieldBytes.multipliedReportingOverflow(by: 8)
        let names = Int64(limits.parsing.totalHeaderBytes).multipliedReportingOverflow(by: 6)
        let one = values.partialValue.addingReportingOverflow(names.partialValue)
        let isHuge = values.overflow || names.overflow || one.overflow
        self.init(limit: isHuge ? .max : max(64 << 20, one.partialValue))
    }

    /// The memory of one form, released with the last reference to it.
    package final class Share: Sendable {
        private let memory: FieldMemory
        private let bytes = Mutex<Int64>(0)

        init(of memory: FieldMemory) { self.memory = memory }

        deinit {
            let bytes = self.bytes.withLock { $0 }
            self.memory.taken.withLock { $0 -= bytes }
        }

        /// Reserves more memory.
        /// - Throws: 503 if all forms together would use too much.
        func take(_ count: Int64) throws(ProblemDetails) {
            try self.memory.taken.withLock { taken throws(ProblemDetails) in
                guard count <= self.memory.limit - taken else {
                    throw .unavailable("The forms in progress have too many bytes in fields: try again.")
                }
                taken += count
            }
            self.bytes.withLock { $0 += count }
        }
    }
}

extension String {
    /// Bytes that JSON adds to the text by escaping, quotation marks not counted.
    var escapingCost: Int64 {
        self.utf8.reduce(0) { cost, byte in
            switch byte {
            case 0x22, 0x5C: cost + 1
            case ..<0x20: cost + 5
            default: cost
            }
        }
    }
}
#endif
