import Adapters
import Conversation
import OBDCore
import VehicleLink

/// Reads a conversation and returns all items.
func read(
    _ text: String, request: String? = nil, vehicleProtocol: VehicleProtocol? = nil
) -> [ConversationItem] {
    var reader = ConversationReader(.init(request: request, vehicleProtocol: vehicleProtocol))
    var items: [ConversationItem] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
        reader.read(Array(line.utf8), number: index + 1, &items)
    }
    reader.finish(&items)
    return items
}

extension [ConversationItem] {
    /// One line per item, without the ends of exchanges: `3 7E8 410C1AF8`.
    var summary: [String] {
        compactMap { item in
            switch item.content {
            case .message(let message):
                var text = "\(item.line) \(message.ecu?.description ?? "-") "
                text += Hex.string(message.payload)
                if let group = message.parameterGroup {
                    text += " " + Hex.string(group, digits: 4)
                }
                return text
            case .linkError(let error, _): return "\(item.line) error: \(error.reason)"
            case .status(let status, _): return "\(item.line) status \(status.rawValue)"
            case .voltage(let voltage): return "\(item.line) \(voltage) V"
            case .frame(let id, let data):
                return "\(item.line) frame \(id?.description ?? "-") \(Hex.string(data))"
            case .endOfExchange: return nil
            }
        }
    }

    /// Only the messages.
    var messages: [ECUMessage] {
        compactMap { item in
            if case .message(let message) = item.content { return message }
            return nil
        }
    }

    /// Whether any item is an error.
    var hasErrors: Bool {
        contains { item in
            if case .linkError = item.content { return true }
            return false
        }
    }
}
