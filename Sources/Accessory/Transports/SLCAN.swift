import Glibc
import OBDCore
import SystemIO

/// `slcan:/dev/ttyACM0`, `slcan:HOST:PORT`: a CAN adapter that sends frames as text.
public struct SLCANTransport: Transport {
    /// The link to the adapter.
    private enum Place: Hashable, Sendable {
        case serial(SerialTransport)
        case tcp(TCPTransport)
    }

    private let place: Place

    /// The forms of the address.
    public static let form = TransportForm(
        "slcan", short: "slcan:/dev/ttyACM0",
        full: ["slcan:PATH?baud=N", "slcan:HOST:PORT"])

    /// The usual line rate of these adapters, if they have one; unit: bit/s.
    private static let usualRate = 115_200

    /// USB vendor and product of adapters that support only slcan.
    static let usbIDs: Set<String> = ["ad50:60c4", "16d0:117e"]

    /// An adapter on a serial line.
    public init(_ serial: SerialTransport) { place = .serial(serial) }

    /// Reads a path, or a host and a port.
    public init(_ rest: Substring, of text: String) throws(AddressError) {
        if rest.isEmpty { throw AddressError(.missing("path or host"), in: text) }
        place =
            rest.hasPrefix("/") || rest.hasPrefix(".")
            ? .serial(try SerialTransport(rest, of: text))
            : .tcp(try TCPTransport(rest, of: text))
    }

    private var inner: any Transport {
        switch place {
        case .serial(let serial): serial
        case .tcp(let tcp): tcp
        }
    }

    /// The address of the link after the scheme.
    public var description: String {
        let text = inner.description
        return "slcan:" + (text.firstIndex(of: ":").map { text[text.index(after: $0)...] } ?? "")
    }

    /// The device node, or the network address.
    public var name: String {
        switch place {
        case .serial(let serial): serial.name
        case .tcp: description
        }
    }

    /// The identity of the link, because the device is the same in any protocol.
    public var identity: String { inner.identity }

    /// Nil if the link is not remembered.
    public var memoryKey: String? { inner.memoryKey.map { _ in description } }

    /// Frames as text only.
    public var protocols: [String] { ["org.obdscan.slcan"] }

    /// The device node, if there is one.
    public var pluggedNode: String? { inner.pluggedNode }

    /// Whether `accessory` is at the end of the same link.
    public func leads(to accessory: Accessory) -> Bool {
        accessory.address == AccessoryAddress(self) || inner.leads(to: accessory)
    }

    /// The longest time for an ECU's answer; a network adds to P2.
    public var answerTime: Duration {
        switch place {
        case .serial: .milliseconds(100)
        case .tcp: .milliseconds(250)
        }
    }

    /// The facts that the link reports.
    public func findings() -> [AccessoryFinding] { inner.findings() }

    /// The facts that an open session proves.
    public func findings(lineRate: Int?) -> [AccessoryFinding] {
        inner.findings(lineRate: lineRate)
    }

    /// Opens the link; a serial line gets the usual rate unless the user gave one.
    public func open(
        within limit: Duration, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        switch place {
        case .tcp(let tcp): return try tcp.open(within: limit, cancelledBy: cancel)
        case .serial(var serial):
            serial.rate = serial.rate ?? Self.usualRate
            return try serial.open(within: limit, cancelledBy: cancel)
        }
    }

    /// The hint of the link.
    public var remedyWhenClosed: String { inner.remedyWhenClosed }
}
