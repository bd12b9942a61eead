import Accessory
import Formats
import Glibc
import Settings
import SystemIO

/// Which accessory is to be set up: the one named, the only one, or the one that a person chooses.
struct SetupChoice {
    let output: OutputOptions
    let inbox: SignalInbox

    /// The accessory; one that was found is named so that it stays found, one that was named as
    /// it was named.
    ///
    /// - Throws: a ``Failure`` when there is none, or several and no terminal to ask on.
    func choose(_ device: String?) throws -> AccessoryAddress {
        if let device { return try named(device) }
        let attached = AccessoryManager().attached(withHolders: true)
        let likely = attached.filter(\.isLikelyAdapter)
        if likely.count == 1 { return Self.lastingAddress(of: likely[0]) }
        guard Confirmation.isPossible else { return try AttachedAccessories.only(of: attached) }
        return try ask(likely)
    }

    /// Where it is found again after another adapter was plugged in first, or at another socket.
    static func lastingAddress(of accessory: Accessory) -> AccessoryAddress {
        accessory.stablePath.map { .serial(path: $0, rate: nil) } ?? accessory.address
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

    /// Asks a person, until an answer names something.
    private func ask(_ likely: [Accessory]) throws -> AccessoryAddress {
        if likely.isEmpty {
            writeToStandardError(
                "No adapter is attached by USB or paired by Bluetooth. A Wi-Fi adapter, once this "
                    + "machine is in its network, is most often tcp:192.168.0.10:35000.\n")
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
                likely.isEmpty ? "Device: " : "Number, or another device: ")
            let line = try answer()
            guard let line, !line.isEmpty else {
                throw Failure(
                    "no device was chosen", hint: AttachedAccessories.advice,
                    status: .unavailable)
            }
            if let number = Int(line), likely.indices.contains(number - 1) {
                return Self.lastingAddress(of: likely[number - 1])
            }
            do {
                return try named(line)
            } catch {
                tellOnStandardError(error.text)
            }
        }
    }

    /// A line of the person's; nil at the end of input.
    private func answer() throws -> String? {
        do {
            let line = try LineReader.next(STDIN_FILENO, interruptedBy: inbox.descriptor)
            return line?.filter { $0 != " " }
        } catch {
            try inbox.end()
            return nil
        }
    }
}
