import Synchronization

/// A transport whose device may need a number for pairing.
public protocol PINTransport: Transport {
    /// The number, up to six digits; nil = none was given.
    var pin: String? { get set }
}

extension PINTransport {
    /// Whether `text` can be such a number.
    public static func isPIN(_ text: some StringProtocol) -> Bool {
        (1...6).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}

extension Connector {
    /// Opens `transport`, and asks for the number if the device needs one.
    ///
    /// - Parameter ask: asks for the number of the device with this name; nil = no number is known.
    ///   The descriptor ends the waiting when it becomes readable.
    public init<Chosen: PINTransport>(
        _ transport: Chosen, askingPIN ask: @escaping @Sendable (String, Int32?) -> String?
    ) {
        let given = PINMemory(transport.pin)
        self.init(transport) { (limit, cancel) throws(AccessoryError) in
            var transport = transport
            transport.pin = given.pin.withLock { $0 }
            do throws(AccessoryError) {
                return try transport.open(within: limit, cancelledBy: cancel)
            } catch {
                guard let fault = error.fault as? BLEFault, fault.isAboutPIN,
                    let pin = ask(transport.name, cancel)
                else { throw error }
                given.pin.withLock { $0 = pin }
                transport.pin = pin
                return try transport.open(within: limit, cancelledBy: cancel)
            }
        }
    }
}

/// The number that was typed, for the next time the link is opened.
private final class PINMemory: Sendable {
    let pin: Mutex<String?>

    init(_ pin: String?) { self.pin = Mutex(pin) }
}

extension BLEFault {
    fileprivate var isAboutPIN: Bool {
        switch self {
        case .wantsPairing, .wrongPIN: true
        case .unseen, .notConnected, .noServices, .noSerialLine, .noAdapter, .pairingUnanswered,
            .inUse, .notSubscribed:
            false
        }
    }
}
