import Accessory
import Formats
import Glibc
import Reports
import Settings
import SystemIO

/// Selects the device to set up: the named one, the only one, or the user's choice.
struct SetupChoice {
    let output: OutputOptions
    let inbox: SignalInbox

    /// The device; a found one with an address that stays valid, a named one as it was named.
    ///
    /// After an adapter that did not work the set-up only asks for another.
    ///
    /// - Throws: A ``Failure`` if there is none, or several without a terminal to ask on.
    func choose(_ device: String?, after failed: AccessoryAddress? = nil) throws -> AccessoryAddress
    {
        let bluetooth = BluetoothSetup(output: output, inbox: inbox)
        if let failed { return try bluetooth.pair(try ask([], instead: "\(failed)")) }
        if let device { return try bluetooth.pair(try named(device)) }
        let attached = AccessoryManager().attached(withHolders: true)
        let interfaces = CANInterface.all().filter { $0.fault == nil }.map { Accessory($0) }
        var likely =
            (attached + BluetoothAccessories.paired()).filter(\.isLikelyAdapter) + interfaces
        if likely.count == 1 { return likely[0].lastingAddress }
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
    private func ask(
        _ likely: [Accessory], instead failed: String? = nil
    ) throws -> AccessoryAddress {
        if likely.isEmpty, failed == nil {
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
        var meant = failed
        while true {
            writeToStandardError(
                meant.map { "Device (Enter is \($0)): " }
                    ?? (likely.isEmpty
                        ? "Device: "
                        : "Number (Enter is 1), or another device such as /dev/ttyUSB0: "))
            let typed = try answer()
            let line = typed?.isEmpty == true ? meant ?? typed : typed
            guard let line, !line.isEmpty || !likely.isEmpty else {
                throw Failure(
                    "no device was chosen", hint: AttachedAccessories.advice,
                    status: .unavailable)
            }
            if let number = line.isEmpty ? 1 : Int(line), likely.indices.contains(number - 1) {
                return likely[number - 1].lastingAddress
            }
            do {
                return try named(line)
            } catch {
                tellOnStandardError(error.text)
                meant = UserSettings.address(meantBy: line)
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
