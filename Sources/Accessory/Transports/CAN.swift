import CSystem
import Glibc

/// `can:can0`: a SocketCAN interface, which needs no adapter with a command language.
public struct CANTransport: Transport {
    /// The network interface.
    public var interface: String
    /// Whether to receive all frames, not only those that may be answers.
    public var hearsEverything = false
    /// Whether the kernel gives each frame its time and counts those that it drops.
    public var observesFrames = false

    /// The forms of the address.
    public static let form = TransportForm("can", short: "can:can0")

    /// An interface by its name.
    public init(interface: String) { self.interface = interface }

    /// Reads the interface's name.
    public init(_ rest: Substring, of text: String) throws(AddressError) {
        if rest.isEmpty { throw AddressError(.missing("interface"), in: text) }
        // IFNAMSIZ, with the terminating NUL.
        guard rest.utf8.count < 16, !rest.contains("/") else {
            throw AddressError(.badValue("interface", String(rest)), in: text)
        }
        self.init(interface: String(rest))
    }

    /// `can:can0`.
    public var description: String { "can:\(interface)" }

    /// Several programs can use an interface at once.
    public var isExclusive: Bool { false }

    /// Raw CAN frames only.
    public var protocols: [String] { ["org.obdscan.can"] }

    /// The current state of the interface; nil if it does not exist.
    public var state: CANInterface? { CANInterface.named(interface) }

    /// The bit rate and the state of the interface.
    public func findings() -> [AccessoryFinding] {
        state.map { [AccessoryFinding(.device, $0.text)] } ?? []
    }

    // Identifiers and masks of linux/can.h. The masks include the flags for 29 bits (bit 31) and for remote
    // frames (bit 30).
    /// 600 to 7FF, the range of diagnostics with 11 bits, and every frame with 29 bits.
    private static let answers: [UInt32] = [0x600, 0xC000_0600, 0x8000_0000, 0xC000_0000]
    private static let everything: [UInt32] = [0, 0]
    /// All errors that a controller reports.
    private static let errors: UInt32 = 0x1FFF_FFFF

    /// Opens a raw socket on the interface.
    public func open(
        within limit: Duration, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        let descriptor = sys_can_socket()
        if descriptor < 0 {
            if errno == EPROTONOSUPPORT || errno == EAFNOSUPPORT || errno == EPERM {
                throw .can(.noSupport)
            }
            throw .system(call: "socket", address: name, errno: errno)
        }
        // From here on the session closes the descriptor on every path.
        var session = DescriptorSession(descriptor: descriptor, kind: .frames, name: name)
        guard let state else { throw .can(.notFound(interface: interface)) }
        if let fault = state.fault, !isHarmless(fault) { throw .can(fault) }
        let filters = hearsEverything ? Self.everything : Self.answers
        if sys_can_filter(descriptor, filters, UInt32(filters.count / 2)) < 0
            || sys_can_errors(descriptor, Self.errors) < 0
        {
            throw .system(call: "setsockopt", address: name, errno: errno)
        }
        if hearsEverything || observesFrames { session.observeFrames() }
        if sys_can_bind(descriptor, Int32(state.index)) < 0 {
            if errno == ENODEV { throw .can(.notFound(interface: interface)) }
            throw .system(call: "bind", address: name, errno: errno)
        }
        return session
    }

    /// A session that only listens works on a listen-only interface.
    private func isHarmless(_ fault: CANInterfaceFault) -> Bool {
        hearsEverything && fault == .listenOnly(interface: interface)
    }

    /// The hint for an interface that was removed.
    public var remedyWhenClosed: String { "is the adapter still plugged in? ip link shows it" }
}

/// The faults of a SocketCAN interface.
public enum CANInterfaceFault: AccessoryFault {
    /// The kernel has no support for CAN.
    case noSupport
    /// The interface does not exist.
    case notFound(interface: String)
    /// The interface is not a CAN interface.
    case notCAN(interface: String)
    /// The interface is down; `kind` is the kernel's name for its kind.
    case down(interface: String, kind: String)
    /// The interface can only listen.
    case listenOnly(interface: String)
    /// The controller has left the bus after too many errors; `restartsAfter` is in ms, 0 = never.
    case busOff(interface: String, restartsAfter: Int)
    /// The interface went down during use.
    case wentDown(interface: String)
    /// The interface was removed during use.
    case removed(interface: String)
    /// Frames wait to be sent, but no other node acknowledges them.
    case notAcknowledged(interface: String)

    /// The fault in words.
    public var words: FaultWords {
        switch self {
        case .noSupport:
            FaultWords(
                .device, "this kernel has no support for CAN",
                hint: "sudo modprobe can_raw; or use an slcan adapter: -d slcan:/dev/ttyACM0")
        case .notFound(let interface):
            FaultWords(
                .device, "there is no CAN interface \(interface)",
                hint: "ip -details link show type can lists them")
        case .notCAN(let interface):
            FaultWords(
                .device, "\(interface) is not a CAN interface",
                hint: "ip -details link show type can lists them", category: .usage)
        case .down(let interface, let kind):
            FaultWords(
                .device, "\(interface) is down",
                hint: kind == "vcan"
                    ? "sudo ip link set \(interface) up"
                    : "sudo ip link set \(interface) type can bitrate 500000; "
                        + "sudo ip link set \(interface) up")
        case .listenOnly(let interface):
            FaultWords(
                .device, "\(interface) only listens, so no vehicle can be asked",
                hint: "sudo ip link set \(interface) down; "
                    + "sudo ip link set \(interface) type can listen-only off; "
                    + "sudo ip link set \(interface) up")
        case .busOff(let interface, let restartTime):
            FaultWords(
                .link, "\(interface) left the bus after too many errors (bus-off)",
                hint: restartTime > 0
                    ? "check the bit rate and the wiring; the kernel restarts the controller every "
                        + "\(restartTime) ms"
                    : "check the bit rate and the wiring, then: sudo ip link set \(interface) down; "
                        + "sudo ip link set \(interface) up")
        case .wentDown(let interface):
            FaultWords(
                .link, "\(interface) went down", hint: "sudo ip link set \(interface) up",
                category: .lost)
        case .removed(let interface):
            FaultWords(
                .link, "\(interface) is gone", hint: "plug the adapter in again",
                category: .lost)
        case .notAcknowledged(let interface):
            FaultWords(
                .link, "\(interface): no ECU on the CAN bus acknowledges any frame",
                hint: "turn the ignition on; check the bus's bit rate, CAN-H and CAN-L",
                category: .lost)
        }
    }
}

extension AccessoryError {
    /// A fault of a CAN interface.
    public static func can(_ fault: CANInterfaceFault) -> AccessoryError { AccessoryError(fault) }
}
