extension Signal {
    /// What `AT RV` measures: the supply at the adapter's own pins, no ECU's word.
    public static var adapterVoltage: Signal {
        Signal(
            id: "ADAPTER_VOLTAGE", name: "Voltage at the adapter",
            aliases: ["voltage", "adapter-voltage"],
            bitOffset: 0, bitLength: 0, kind: .number, unit: "V")
    }
}
