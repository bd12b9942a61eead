import Publishing
import SystemIO
import TripStore

/// Sends refused lines again.
package struct LineRetry {
    package struct Result: Sendable {
        /// Lines that the server accepted.
        package var taken = 0
        /// Lines that the server refused again.
        package var left = 0
        /// Why the run ended early; nil = it finished.
        package var end: SinkEnd?
    }

    private let address: SinkAddress
    private let setup: HTTPClient.Setup
    private let sink: String

    package init(address: SinkAddress, setup: HTTPClient.Setup, sink: String) {
        self.address = address
        self.setup = setup
        self.sink = sink
    }

    /// Sends each line separately.
    package func run(_ deliveries: DeliveryStore) throws -> Result {
        let client = try HTTPClient(setup)
        var result = Result()
        var taken: [Int64] = []
        for refusal in try deliveries.refusals(of: sink) {
            let line = refusal.payload + [0x0A]
            if let form = ItemForm(address.kind) {
                client.post(refusal.payload[...], as: form, to: address.writeURL)
            } else {
                client.post(line[...], to: address.writeURL)
            }
            guard let answer = client.answer(stop: nil) else { break }
            switch WriteDecision(answer, of: address.kind) {
            case .accepted: taken.append(refusal.id)
            case .acceptedInPart, .halve: result.left += 1
            case .stop(let why, let words): result.end = .refused(why, words)
            case .again(let words, _): result.end = .unreachable(words)
            }
            if result.end != nil { break }
        }
        try deliveries.removeRefusals(taken, of: sink)
        result.taken = taken.count
        return result
    }
}
