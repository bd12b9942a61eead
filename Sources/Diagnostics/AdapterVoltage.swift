extension Signal {
    /// The voltage that `AT RV` measures at the adapter's own pins; it is not reported by an ECU.
    public static var adapterVoltage: Signal {
        Signal(
            id: "ADAPTER_VOLTAGE", name: "Voltage at the adapter",
            aliases: ["voltage", "adapter-voltage"],
            bitOffset: 0, bitLength: 0, kind: .number, unit: "V")
    }
}
