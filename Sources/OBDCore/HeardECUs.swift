/// The ECUs that have sent a message in a session.
///
/// A question to all ECUs is answered only after each of these ECUs has answered.
public struct HeardECUs: Hashable, Sendable {
    /// The requests that an ECU answers.
    public enum Reach: Hashable, Sendable {
        /// Requests to all ECUs.
        case withOthers
        /// Only ECUs at this address, as far as is known.
        case alone(at: ECUAddress)
    }

    /// More addresses than any vehicle has.
    static let most = 1_024

    /// The ECUs with an address.
    public private(set) var ecus: [ECUAddress: Reach] = [:]
    /// The most ECUs without an address that have answered one request, because headers are off.
    public private(set) var unnamed = 0
    /// Whether every ECU is in the list.
    public private(set) var isComplete = true

    /// None yet.
    public init() {}

    /// Notes the senders of `messages`, which were received after `request` to `target`, or to all ECUs.
    public mutating func note(
        _ messages: [ECUMessage], answering request: [UInt8], at target: ECUAddress?
    ) {
        let reach = target.map { Reach.alone(at: $0) } ?? .withOthers
        var count = 0
        for message in messages {
            guard let ecu = message.ecu else {
                if message.isPositiveAnswer(to: request) { count += 1 }
                continue
            }
            switch ecus[ecu] {
            case .withOthers: continue
            case .alone where reach != .withOthers: continue
            case .alone: ecus[ecu] = reach
            case nil:
                if ecus.count < Self.most { ecus[ecu] = reach } else { isComplete = false }
            }
        }
        // Other services answer in several messages before CAN.
        if request.first == Service.currentData.rawValue
            || request.first == Service.readData.rawValue
        {
            unnamed = max(unnamed, count)
        }
    }
}
