import PIDTables

/// What a drive shows without its readings: all numbers that were measured in it.
struct MeasuredDrive: Hashable, Sendable {
    var numbers: [String: Measured]
    /// The traits of the vehicle, by their names in files of causes.
    var traits: Set<String>

    init(_ watch: DriveWatch) {
        numbers = watch.numbers.filter { $0.value.value.isFinite }
        traits = watch.traits
    }

    /// As a text that ``init(text:)`` reads.
    var text: String {
        var lines = [traits.sorted().joined(separator: " ")]
        for (id, number) in numbers.sorted(by: { $0.key < $1.key }) {
            lines.append(
                "\(id) \(number.value) \(number.error) \(number.seconds) \(number.from) \(number.to)"
            )
        }
        return lines.joined(separator: "\n")
    }

    /// Nil for a text of another form.
    init?(text: String) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        guard let first = lines.popFirst() else { return nil }
        traits = Set(first.split(separator: " ").map(String.init))
        numbers = [:]
        for line in lines {
            let words = line.split(separator: " ")
            guard words.count == 6, let value = Double(words[1]), value.isFinite,
                let error = Double(words[2]), error >= 0, let seconds = Double(words[3]),
                seconds.isFinite, let from = Int64(words[4]), let to = Int64(words[5])
            else { return nil }
            numbers[String(words[0])] = Measured(
                value: value, error: error, seconds: seconds, from: from, to: to)
        }
    }
}
