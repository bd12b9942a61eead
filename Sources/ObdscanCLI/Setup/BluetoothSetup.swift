import Accessory
import Formats
import Glibc
import OBDCore
import Settings
import SystemIO

/// Finds Bluetooth adapters in reach, and pairs the selected one.
struct BluetoothSetup {
    let output: OutputOptions
    let inbox: SignalInbox

    /// Devices in reach that are not paired yet, likely adapters first.
    ///
    /// If Bluetooth is not available, it prints a note and returns an empty list.
    func search() throws -> [BluetoothPairing.Found] {
        let seconds = BluetoothPairing.searchTime.nanoseconds / 1_000_000_000
        let found: [BluetoothPairing.Found]?
        do throws(AccessoryError) {
            output.note("Searching for Bluetooth devices for \(seconds) s.")
            found = try BluetoothPairing.search(cancelledBy: inbox.descriptor)
        } catch {
            let failure = Failure(error)
            output.note("\(failure.message)" + (failure.hint.map { "; \($0)" } ?? "."))
            return []
        }
        guard let found else {
            try inbox.end()
            return []
        }
        return found.filter { !$0.isPaired }
    }

    /// Pairs `address` if BlueZ reports that it is not paired; does nothing otherwise.
    ///
    /// The set-up tries the usual PINs first. If the device refuses all of these PINs and there is a
    /// terminal, the set-up asks the user for the PIN.
    func pair(_ address: AccessoryAddress) throws -> AccessoryAddress {
        guard address.transport.isPairable else { return address }
        let found: [BluetoothPairing.Found]
        if let known = BluetoothPairing.known(), known.contains(where: { isMeant($0, address) }) {
            found = known
        } else {
            found = try search()
        }
        guard let device = found.first(where: { isMeant($0, address) }),
            !device.isPaired, !device.isLowEnergyOnly
        else { return address }
        try pair(device)
        return address
    }

    /// Pairs a device from the search.
    func pair(_ device: BluetoothPairing.Found) throws {
        var pins = BluetoothPairing.usualPINs
        while true {
            do throws(AccessoryError) {
                let pin = try BluetoothPairing.pair(
                    device.address, pins: pins, cancelledBy: inbox.descriptor
                ) { pin in
                    output.note("Pairing \(device.accessory.name) with the PIN \(pin).")
                }
                guard pin != nil else {
                    try? inbox.end()
                    throw AccessoryError.bluetooth(
                        address: "\(device.address)", .authenticationFailed)
                }
                output.note("\(device.accessory.name) is paired.")
                return
            } catch {
                guard error.isRefusedPairing else {
                    // Some adapters connect without pairing: the check shows the state.
                    output.note("\(Failure(error).message). It is tried without pairing.")
                    return
                }
                guard Confirmation.isPossible,
                    let pin = try ask(device), !pin.isEmpty
                else { throw Failure(error) }
                pins = [pin]
            }
        }
    }

    private func ask(_ device: BluetoothPairing.Found) throws -> String? {
        writeToStandardError(
            "\(printable(device.accessory.name)) refused the usual PINs. Its own PIN, from the label "
                + "or the manual: ")
        do {
            return try LineReader.next(STDIN_FILENO, interruptedBy: inbox.descriptor)?
                .filter { $0 != " " }
        } catch {
            try inbox.end()
            return nil
        }
    }

    private func isMeant(_ found: BluetoothPairing.Found, _ address: AccessoryAddress) -> Bool {
        address.transport.leads(to: found.accessory)
    }
}
