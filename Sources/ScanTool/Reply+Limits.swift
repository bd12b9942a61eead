import Adapters
import OBDCore
import VehicleLink

// A reply grows with the data from the wire, so each of its parts is limited.
extension Reply {
    /// The most entries in each list.
    static let listLimit = 4_096

    mutating func keepRaw(_ bytes: [UInt8]) {
        let room = Self.rawLimit - raw.count
        if bytes.count <= room {
            raw.append(contentsOf: bytes)
        } else {
            raw.append(contentsOf: bytes.prefix(room))
        }
    }

    mutating func keep(_ message: ECUMessage) {
        if messages.count < Self.listLimit { messages.append(message) }
    }

    mutating func keep(_ error: LinkError) {
        if errors.count < Self.listLimit { errors.append(error) }
    }

    mutating func keep(_ status: AdapterStatus) {
        if statuses.count < Self.listLimit { statuses.append(status) }
    }

    mutating func keep(_ line: String) {
        if texts.count < Self.listLimit { texts.append(line) }
    }

    mutating func keep(_ frame: BusFrame) {
        if frames.count < Self.listLimit { frames.append(frame) }
    }

    /// Removes each "response pending" whose ECU has sent another message since.
    mutating func dropAnsweredPendings(of request: AdapterRequest) {
        guard messages.count > 1 else { return }
        for place in messages.indices.reversed() {
            let message = messages[place]
            if message.isPending(for: request),
                messages[(place + 1)...].contains(where: { $0.ecu == message.ecu })
            {
                messages.remove(at: place)
            }
        }
    }
}
