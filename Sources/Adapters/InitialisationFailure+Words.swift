public import OBDCore

extension InitialisationFailure: ExplainedAt {
    /// Why the accessory could not be set up.
    public func explanation(at accessory: String) -> Explanation {
        switch self {
        case .silent:
            let hasRate = !accessory.contains(":") || accessory.hasPrefix("serial:")
            return Explanation(
                "\(accessory): nothing answers",
                hint: accessory.hasPrefix("doip:")
                    ? "turn the ignition on; \"obdscan devices list --doip\" finds DoIP gateways"
                    : "is the adapter plugged into the car and its light on? another program may use "
                        + "it"
                        + (hasRate ? "; a serial line may need its rate: serial:PATH?baud=N" : ""),
                .unavailable)
        case .notUnderstood(let count):
            return Explanation(
                "\(accessory): it sent \(counted(count, "byte that is", "bytes that are")) not from an adapter",
                hint: "is it another device, such as a GPS receiver? A serial line may need its "
                    + "rate: serial:PATH?baud=N. --adapter names the dialect",
                .unavailable)
        case .refusesEverything:
            return Explanation(
                "\(accessory): it answers \"?\" to every command: it is not an ELM327 adapter",
                hint: "choose another device; \"obdscan devices\" lists them",
                .unavailable)
        case .busNotOpened:
            return Explanation(
                "\(accessory): the adapter refuses to open the CAN bus",
                hint: "end other programs that use it; unplug it and plug it in again",
                .unavailable)
        case .webServer:
            return Explanation(
                "\(accessory): this is a web page, not an adapter",
                hint: "adapters listen on 35000: -d tcp:HOST:35000",
                .unavailable)
        case .timedOut(let command):
            return Explanation(
                "\(accessory): no prompt after \(command)",
                hint: "unplug the adapter and plug it in again", .unavailable)
        case .noVehicle(let status):
            var words = status.explanation(insteadOfAnswerAt: accessory)
            words.isOfSilentVehicle = true
            return words
        case .restarting:
            return Explanation(
                "\(accessory): the adapter keeps restarting",
                hint: "its power supply is weak: check the plug and the car's battery",
                .unavailable)
        case .interrupted:
            return .ended
        case .activationRefused(let code):
            let (what, hint) = Self.words(ofActivation: code)
            return Explanation(
                "\(accessory): \(what) (0006, code \(Hex.string([code])))", hint: hint,
                code == 0x04 || code == 0x05 || code == 0x07
                    ? .noPermission : .unavailable)
        case .headerRefused(let code):
            return Explanation(
                "\(accessory): the DoIP gateway refuses obdscan's messages (0000, code "
                    + "\(Hex.string([code])))",
                hint: code == 0x00
                    ? "name its version of the protocol: -d doip:HOST?version=3"
                    : "end other programs that use it, then try again", .unavailable)
        }
    }

    /// Why a DoIP gateway refuses routing activation (ISO 13400-2, codes of message 0006).
    private static func words(ofActivation code: UInt8) -> (what: String, hint: String) {
        switch code {
        case 0x00:
            (
                "the DoIP gateway does not know this tester's address",
                "name another one: -d doip:HOST?source=0E00"
            )
        case 0x01:
            (
                "the DoIP gateway has no free connection",
                "end other programs that use it, then try again"
            )
        case 0x02:
            (
                "the DoIP gateway knows this connection by another tester's address",
                "try again; each connection has one address"
            )
        case 0x03:
            (
                "another connection to the DoIP gateway uses this tester's address",
                "end the other program, or name another address: -d doip:HOST?source=0E81"
            )
        case 0x04:
            (
                "the DoIP gateway requires the maker's authentication",
                "use the maker's tester, or connect an adapter to the OBD socket"
            )
        case 0x05:
            (
                "the vehicle's user has not confirmed the connection",
                "confirm it in the vehicle, then try again"
            )
        case 0x06:
            (
                "the DoIP gateway does not support the usual activation",
                "use the maker's tester, or connect an adapter to the OBD socket"
            )
        case 0x07:
            (
                "the DoIP gateway requires an encrypted connection (TLS), which obdscan does not have",
                "connect an adapter to the OBD socket"
            )
        case 0x11:
            (
                "the DoIP gateway waits for a confirmation in the vehicle",
                "confirm it in the vehicle, then try again"
            )
        default:
            (
                "the DoIP gateway refuses diagnostics from this tester",
                "use the maker's tester, or connect an adapter to the OBD socket"
            )
        }
    }
}
