/// Bluetooth devices that BlueZ knows and that may be adapters.
public enum BluetoothAccessories {
    /// The devices that are paired but not connected now; their connection ID is 0.
    public static func paired() -> [Accessory] {
        devices().filter { $0.isPaired && !$0.isConnected }.map { Accessory($0, connectionID: 0) }
    }

    /// The devices that have a serial port, have a service that LE adapters use, or have a name like that of
    /// an adapter; empty without BlueZ.
    static func devices() -> [BlueZObjects.Device] {
        let known = (try? BlueZ.objects())?.devices ?? []
        return known.filter { device in
            device.offersSerialPort || device.layoutService != nil
                || Accessory(device, connectionID: 0).isLikelyAdapter
        }
    }
}

extension Accessory {
    /// An entry from BlueZ's record of a device.
    init(_ device: BlueZObjects.Device, connectionID: Int) {
        self.init(
            address: device.isLowEnergyOnly
                ? .ble(device.address) : .rfcomm(device.address, channel: nil),
            connectionID: connectionID, name: device.title)
        protocols = ["org.obdscan.elm327"]
        if device.isLowEnergyOnly {
            let service = device.layoutService.map { " (service \(GATTObjects.short($0)))" }
            model = "Bluetooth LE" + (service ?? "")
        }
        deviceID = device.modalias
        hardware = device.modalias.flatMap(Self.revision)
    }

    /// The version of a Device ID record, `…d0542` → `5.42` (Device ID Specification 1.3: JJ.M.N).
    private static func revision(_ modalias: String) -> String? {
        let digits = modalias.suffix(4)
        guard modalias.dropLast(4).last == "d", let number = UInt16(digits, radix: 16) else {
            return nil
        }
        return "\(number >> 8).\(number >> 4 & 15)\(number & 15)"
    }
}
