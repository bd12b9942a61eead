import Accessory
import Formats
import Glibc
import Settings
import SystemIO
import VehicleReports

/// Selects the device to set up: the named one, the only one, or the user's choice.
struct SetupChoice {
    let output: OutputOptions
    let inbox: SignalInbox

    /// The device; a found one with an address that stays valid, a named one as it was named.
    ///
    /// - Throws: A ``Failure`` if there is none, or several without a terminal to ask on.
    func choose(_ device: String?) throws -> AccessoryAddress {
        let bluetooth = BluetoothSetup(output: output, inbox: inbox)
        if let device { return try bluetooth.pair(try named(device)) }
        let attached = AccessoryManager().attached(withHolders: true)
        let interfaces = CANInterface.all().filter { $0.fault == nil }.map { Accessory($0) }
        var likely =
            (attached + BluetoothAccessories.paired()).filter(\.isLikelyAdapter) + interfaces
        if likely.count == 1 { return Self.lastingAddress(of: likely[0]) }
        guard Confirmation.isPossible else { return try AttachedAccessories.only(of: attached) }
        var found: [BluetoothPairing.Found] = []
        if likely.isEmpty {
            writeToStandardError("No adapter is attached by USB or paired by Bluetooth.\n")
            found = try bluetooth.search()
            likely = found.map(\.accessory)
        }
        let chosen = try ask(likely)
        guard let device = found.first(where: { $0.accessory.address == chosen }) else {
            return try bluetooth.pair(chosen)
        }
        if !device.isLowEnergyOnly { try bluetooth.pair(device) }
        return chosen
    }

    /// An address that stays valid if adapters are plugged in in another order or at another
    /// socket.
    static func lastingAddress(of accessory: Accessory) -> AccessoryAddress {
        guard let path = accessory.stablePath else { return accessory.address }
        if accessory.isSLCAN {
            return AccessoryAddress(SLCANTransport(SerialTransport(path: path, rate: nil)))
        }
        return .serial(path: path, rate: nil)
    }

    private func named(_ text: String) throws(Failure) -> AccessoryAddress {
        let address = try UserSettings.current.resolved(text)
        if address.transport.recording != nil {
            throw Failure(
                "\(address) is a recording, not an adapter",
                hint: "give a path such as /dev/ttyUSB0, rfcomm:ADDRESS or tcp:HOST:PORT",
                status: .usage)
        }
        return address
    }

    /// Asks the user until an answer names a device.
    private func ask(_ likely: [Accessory]) throws -> AccessoryAddress {
        if likely.isEmpty {
            output.note(
                "Most Wi-Fi adapters are tcp:192.168.0.10:35000, once this machine is in their "
                    + "network.")
        }
        for (number, accessory) in likely.enumerated() {
            let entry = AccessoryEntry(accessory)
            let words = [entry.id, entry.name, entry.inUseBy.map { "in use by \($0)" }]
            writeToStandardError(
                printable("  \(number + 1)  \(words.compactMap(\.self).joined(separator: "  "))")
                    + "\n")
        }
        while true {
            writeToStandardError(
                likely.isEmpty
                    ? "Device: "
                    : "Number (Enter is 1), or another device such as /dev/ttyUSB0: ")
            let line = try answer()
            guard let line, !line.isEmpty || !likely.isEmpty else {
                throw Failure(
                    "no device was chosen", hint: AttachedAccessories.advice,
                    status: .unavailable)
            }
            if let number = line.isEmpty ? 1 : Int(line), likely.indices.contains(number - 1) {
                return Self.lastingAddress(of: likely[number - 1])
            }
            do {
                return try named(line)
            } catch {
                tellOnStandardError(error.text)
            }
        }
    }

    /// The user's answer; nil at the end of input.
    private func answer() throws -> String? {
        do {
            let line = try LineReader.next(STDIN_FILENO, interruptedBy: inbox.descriptor)
            return line?.split(separator: " ").joined(separator: " ")
        } catch {
            try inbox.end()
            return nil
        }
    }
}
