import Accessory
import Glibc
import LocalLinks
import OBDCore
import Settings
import Simulator

extension AddressError {
    /// The address that the user probably meant; nil if none is similar.
    var suggestion: String? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let rest = String(text[text.index(after: colon)...])
        let meant: String? =
            switch fault {
            case .unknownScheme(let scheme): Self.meant(by: text, scheme, rest)
            case .missing("port"):
                UserSettings.place(rest)
                    ?? (text.hasPrefix("tcp:") && !rest.contains("?") ? text + ":35000" : nil)
            case .badValue("address", _):
                UserSettings.place(rest)
                    ?? (rest.contains(":") || rest.contains("/") ? nil : "bluetooth:\(rest)")
            case .missing, .unknownOption, .badValue, .name, .path: nil
            }
        return meant.flatMap { (try? TransportRegistry.all.address($0)) == nil ? nil : $0 }
    }

    private static func meant(by text: String, _ scheme: String, _ rest: String) -> String? {
        // A web address.
        if rest.hasPrefix("//") { return UserSettings.place(String(rest.dropFirst(2))) }
        if BluetoothAddress(text.prefix(17)) != nil { return "rfcomm:\(text)" }
        let kinds = TransportRegistry.all.forms.map(\.scheme)
        if let kind = nearestName(to: scheme, among: kinds) { return "\(kind):\(rest)" }
        // HOST:PORT: a host has dots, or a number follows, which distinguishes it from a kind of
        // device.
        let isPort = !rest.isEmpty && rest.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isPort ? "tcp:\(text)" : nil
    }
}

extension UserSettings {
    /// The address in `text`, or the address of the device with that name.
    func resolved(_ text: String) throws(Failure) -> AccessoryAddress {
        let isName = TransportRegistry.isName(text)
        guard let address = isName ? aliases[text] : text else {
            throw Failure(
                "no device is called \"\(text)\"", hint: remedy(forUnknown: text),
                status: .usage)
        }
        do throws(AddressError) {
            return try TransportRegistry.all.address(address)
        } catch {
            throw Failure(error)
        }
    }

    /// The address that is probably meant by `text`, which is neither an address nor a known name.
    static func address(meantBy text: String) -> String? {
        if TransportRegistry.isName(text) { return place(text) }
        do throws(AddressError) {
            _ = try TransportRegistry.all.address(text)
            return nil
        } catch {
            return error.suggestion
        }
    }

    /// The address of something that was named without its kind: a file in /dev, a host, a network
    /// interface of CAN, a simulated vehicle.
    fileprivate static func place(_ text: String) -> String? {
        if BluetoothAddress(text.prefix(17)) != nil { return "rfcomm:\(text)" }
        if text.hasPrefix("/") { return text }
        let small = text.lowercased()
        func isNumbered(_ word: String) -> Bool {
            small.hasPrefix(word) && UInt8(small.dropFirst(word.count)) != nil
        }
        if !text.isEmpty && access("/dev/\(text)", F_OK) == 0 { return "/dev/\(text)" }
        if small.hasPrefix("tty") || isNumbered("rfcomm") { return "/dev/\(text)" }
        if ["can", "vcan", "slcan"].contains(where: isNumbered) { return "can:\(text)" }
        if small == "wifi" || small == "wlan" { return "tcp:192.168.0.10:35000" }
        if small == "demo" || small == "simulator" { return "sim:" }
        if SimulatorCatalogue.scenarios.contains(where: { $0.name == small }) {
            return "sim:\(small)"
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let isHost =
            text.contains(".") && parts[0].utf8.allSatisfy { $0 == 0x2E || 0x30...0x39 ~= $0 }
        guard isHost, parts.count < 3 else { return nil }
        return "tcp:\(text)" + (parts.count == 1 ? ":35000" : "")
    }

    /// Why `text` is not a device's address; nil if it is.
    static func reasonAgainst(address text: String) -> String? {
        do throws(AddressError) {
            return try TransportRegistry.all.address(text).transport.visibleFault
        } catch {
            return error.reason + (error.suggestion.map { "; did you mean \($0)?" } ?? "")
        }
    }

    /// A hint for `name`, which is an unknown device.
    func remedy(forUnknown name: String) -> String {
        if name.isEmpty {
            return "the name is empty: is a variable of the shell not set? "
                + "\"obdscan devices\" lists adapters"
        }
        if name == "-" { return "a recorded conversation on standard input is replay:/dev/stdin" }
        let known = aliases.keys.sorted()
        if let near = nearestName(to: name, among: known) {
            return "did you mean \(near)? known names: " + known.joined(separator: ", ")
        }
        if let meant = Self.address(meantBy: name) { return "did you mean \(meant)?" }
        if access(name, F_OK) == 0 {
            return "a device in this folder is ./\(name), a recorded conversation replay:\(name)"
        }
        if let form = TransportRegistry.all.forms.first(where: { $0.scheme == name.lowercased() }) {
            return (try? TransportRegistry.all.address(form.scheme + ":")) != nil
                ? "add a colon after it: \(form.scheme):"
                : "the form is \(form.full.joined(separator: " or "))"
        }
        guard known.isEmpty else {
            return "known names: " + known.joined(separator: ", ")
                + "; else a path such as /dev/ttyUSB0, or a form such as sim:"
        }
        let small = name.lowercased()
        let isWindowsPort = small.hasPrefix("com") && Int(small.dropFirst(3)) != nil
        if isWindowsPort || small == "usb" || small.hasPrefix("tty") || small.hasPrefix("rfcomm") {
            return "serial devices have a path such as /dev/ttyUSB0; \"obdscan devices\" lists them"
        }
        if name.contains(".") {
            return "a network adapter is tcp:\(name):35000, a recorded conversation replay:\(name)"
        }
        let address = name.contains(" ") ? "\"bluetooth:\(name)\"" : "bluetooth:\(name)"
        return "did you mean \(address)? \"obdscan devices\" lists adapters"
            + (SettingsKey.named("aliases.\(name)") == nil
                ? "" : "; to give one this name: \"obdscan config set aliases.\(name) DEVICE\"")
    }
}
