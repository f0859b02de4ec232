#if Transfer
import Formwork
import FormworkCommand

/// Finds the part that a byte of a body belongs to.
struct PartMap: Sendable {
    private var starts: [Int64] = []
    private var labels: [String] = []
    /// How many parts have content.
    let count: Int

    /// - Parameter filename: The name of the file that is the whole body; `nil` for a form.
    init(_ plan: BodyPlan, filename: String? = nil) {
        var count = 0
        for entry in plan.layout where entry.kind != .framing {
            count += 1
            guard let offset = entry.offset else { continue }
            self.starts.append(offset)
            let name = (filename ?? entry.filename ?? entry.part?.name ?? "").withControlCharactersEscaped
            self.labels.append(DisplayText(name, limit: 30).text)
        }
        self.count = count
    }

    /// The part's number from 1, and its name; `nil` before the first part.
    func part(at offset: Int64) -> (number: Int, label: String)? {
        var (low, high) = (0, self.starts.count)
        while low < high {
            let middle = (low + high) / 2
            if self.starts[middle] <= offset { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : (low, self.labels[low - 1])
    }
}
#endif
