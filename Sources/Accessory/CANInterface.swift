import CSystem
import Glibc
import SystemIO

/// The kernel's description of a CAN interface.
public struct CANInterface: Hashable, Sendable {
    /// The state that the controller reports (`enum can_state` of linux/can/netlink.h).
    public enum State: UInt32, Hashable, Sendable {
        /// Without errors.
        case active = 0
        /// Some errors.
        case warning = 1
        /// Many errors.
        case passive = 2
        /// The interface has left the bus.
        case busOff = 3
        /// Switched off.
        case stopped = 4
        /// Asleep.
        case sleeping = 5
    }

    /// The name.
    public var name: String
    /// The index.
    public var index: Int
    /// Whether the interface is one of CAN.
    public var isCAN = false
    /// Whether the interface is up.
    public var isUp = false
    /// The kernel's name for the kind of interface: `can`, `vcan`, `slcan`.
    public var kind = ""
    /// The bit rate; unit: bit/s, nil if it has none.
    public var rate: Int?
    /// The controller's state; nil if it has none.
    public var state: State?
    /// Whether the interface can only listen.
    public var isListenOnly = false
    /// How long after leaving the bus the kernel restarts the controller (`restart-ms`); unit: ms, 0 = never.
    public var restartTime = 0
    /// How often the controller, its driver and the kernel lost frames that had arrived, since the interface exists.
    public var lostFrames: UInt64 = 0

    /// Why the interface cannot be used; nil if it can.
    public var fault: CANInterfaceFault? {
        if !isCAN { return .notCAN(interface: name) }
        if !isUp { return .down(interface: name, kind: kind) }
        if isListenOnly { return .listenOnly(interface: name) }
        return state == .busOff ? .busOff(interface: name, restartsAfter: restartTime) : nil
    }

    /// One line for the user: `can0 (can), 500 kbit/s, up`.
    public var text: String {
        var parts = ["\(name)" + (kind.isEmpty ? "" : " (\(kind))")]
        if let rate { parts.append("\(rate / 1_000) kbit/s") }
        parts.append(isUp ? "up" : "down")
        switch state {
        case .busOff: parts.append("bus-off")
        case .passive: parts.append("many errors")
        case .warning: parts.append("some errors")
        case .active, .stopped, .sleeping, nil: break
        }
        if isListenOnly { parts.append("listens only") }
        if restartTime > 0 { parts.append("restarts after \(restartTime) ms") }
        return parts.joined(separator: ", ")
    }

    // MARK: Asking the kernel

    /// The current state of the interface with this name; nil if it does not exist or the kernel does not
    /// answer.
    public static func named(_ name: String) -> CANInterface? {
        let index = if_nametoindex(name)
        guard index > 0 else { return nil }
        let socket = sys_route_socket()
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        let request = RouteMessage.request(index: index)
        let sent = request.withUnsafeBytes { sys_write(socket, $0.baseAddress, $0.count) }
        guard sent == request.count else { return nil }
        var answer = [UInt8](repeating: 0, count: 16_384)
        let count = answer.withUnsafeMutableBytes { sys_read(socket, $0.baseAddress, $0.count) }
        guard count > 0 else { return nil }
        return RouteMessage.interface(in: Array(answer[..<count]))
    }

    /// All CAN interfaces, sorted by name.
    public static func all(in folder: String = "/sys/class/net") -> [CANInterface] {
        Files.names(in: folder).sorted().filter { name in
            Files.line("\(folder)/\(name)/type") == "280"
        }.compactMap(named)
    }
}

extension Accessory {
    /// A SocketCAN interface.
    public init(_ interface: CANInterface) {
        self.init(
            address: AccessoryAddress(CANTransport(interface: interface.name)),
            connectionID: interface.index, name: interface.text)
        protocols = address.transport.protocols
    }
}

/// Messages of NETLINK_ROUTE (linux/rtnetlink.h, linux/if_link.h), which use the machine's byte order.
enum RouteMessage {
    private static let newLink: UInt16 = 16
    private static let getLink: UInt16 = 18
    /// ARPHRD_CAN.
    private static let canType: UInt16 = 280

    static func request(index: UInt32) -> [UInt8] {
        // nlmsghdr: length, type, flags (a request), sequence, sender; ifinfomsg: family, type, index.
        var bytes = number(UInt32(32)) + number(getLink) + number(UInt16(1))
        bytes += number(UInt32(1)) + number(UInt32(0))
        bytes += [0, 0, 0, 0] + number(index) + number(UInt32(0)) + number(UInt32(0))
        return bytes
    }

    /// The interface that a reply describes; nil for an error or another kind of message.
    static func interface(in message: [UInt8]) -> CANInterface? {
        guard message.count >= 32, let length: UInt32 = value(message, at: 0),
            let type: UInt16 = value(message, at: 4), type == newLink,
            let hardware: UInt16 = value(message, at: 18),
            let index: UInt32 = value(message, at: 20), let flags: UInt32 = value(message, at: 24)
        else { return nil }
        var found = CANInterface(name: "", index: Int(index))
        found.isCAN = hardware == canType
        // IFF_UP.
        found.isUp = flags & 1 != 0
        for (type, content) in attributes(message[32..<min(message.count, Int(length))]) {
            switch type {
            // IFLA_IFNAME.
            case 3: found.name = text(content)
            // IFLA_STATS64: numbers of 64 bits, among them rx_dropped, rx_over_errors and rx_missed_errors.
            case 23:
                let bytes = Array(content)
                found.lostFrames = [6, 11, 15].reduce(0) { sum, place in
                    sum &+ (value(bytes, at: place * 8) ?? 0)
                }
            // IFLA_LINKINFO.
            case 18: take(linkInfo: content, into: &found)
            default: break
            }
        }
        return found.name.isEmpty ? nil : found
    }

    private static func take(linkInfo: ArraySlice<UInt8>, into found: inout CANInterface) {
        let parts = attributes(linkInfo)
        // IFLA_INFO_KIND, then IFLA_INFO_DATA, whose meaning depends on the kind.
        found.kind = parts.first { $0.type == 1 }.map { text($0.content) } ?? ""
        guard found.kind == "can", let data = parts.first(where: { $0.type == 2 }) else { return }
        for (type, content) in attributes(data.content) {
            let bytes = Array(content)
            switch type {
            // IFLA_CAN_BITTIMING begins with the bit rate.
            case 1:
                if let rate: UInt32 = value(bytes, at: 0), rate > 0 { found.rate = Int(rate) }
            // IFLA_CAN_STATE.
            case 4:
                if let state: UInt32 = value(bytes, at: 0) { found.state = .init(rawValue: state) }
            // IFLA_CAN_RESTART_MS.
            case 6:
                if let time: UInt32 = value(bytes, at: 0) { found.restartTime = Int(time) }
            // IFLA_CAN_CTRLMODE: mask, then flags; 02 = listen only.
            case 5:
                if let flags: UInt32 = value(bytes, at: 4) { found.isListenOnly = flags & 2 != 0 }
            default: break
            }
        }
    }

    /// Reads consecutive attributes: length, type, content, padded to four bytes.
    private static func attributes(
        _ bytes: ArraySlice<UInt8>
    ) -> [(type: UInt16, content: ArraySlice<UInt8>)] {
        var found: [(type: UInt16, content: ArraySlice<UInt8>)] = []
        var rest = bytes
        while rest.count >= 4 {
            let head = Array(rest.prefix(4))
            guard let length: UInt16 = value(head, at: 0), let type: UInt16 = value(head, at: 2),
                length >= 4, Int(length) <= rest.count
            else { break }
            // The two highest bits are flags.
            found.append((type & 0x3FFF, rest.dropFirst(4).prefix(Int(length) - 4)))
            rest = rest.dropFirst((Int(length) + 3) & ~3)
        }
        return found
    }

    private static func text(_ content: ArraySlice<UInt8>) -> String {
        String(decoding: content.prefix { $0 != 0 }, as: UTF8.self)
    }

    private static func value<Number: FixedWidthInteger>(
        _ bytes: [UInt8], at place: Int
    ) -> Number? {
        guard place + MemoryLayout<Number>.size <= bytes.count else { return nil }
        return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: Number.self) }
    }

    private static func number<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
        withUnsafeBytes(of: value) { Array($0) }
    }
}
