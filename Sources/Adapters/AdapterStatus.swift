/// What an ELM327-class adapter says in words instead of data.
///
/// The raw value is the name that `adapterStatus` objects print.
public enum AdapterStatus: String, Hashable, Sendable, CaseIterable {
    /// `NO DATA`: no ECU answered in time, or the answer was filtered out.
    case noData
    /// `UNABLE TO CONNECT`: no vehicle protocol was found.
    case unableToConnect
    /// `BUS INIT: ERROR`: the initialisation of ISO 9141-2 or ISO 14230-4 failed.
    case busInitError
    /// `BUS BUSY`: the adapter could not get onto the bus.
    case busBusy
    /// `BUS ERROR`: an invalid signal on the bus.
    case busError
    /// `CAN ERROR`: sending or receiving on CAN failed.
    case canError
    /// `DATA ERROR`: the whole answer was invalid.
    case dataError
    /// `<RX ERROR`: a CAN frame was damaged.
    case rxError
    /// `BUFFER FULL`: the adapter's buffer overran; data is missing.
    case bufferFull
    /// `FB ERROR`: the output did not read back.
    case feedbackError
    /// `STOPPED`: a character from us interrupted the adapter.
    case stopped
    /// `FC RX TIMEOUT`: no flow control frame came while a long message was sent.
    case flowControlTimeout
    /// `LV RESET`: the supply broke down and the adapter restarted.
    case lowVoltageReset
    /// `ERRxx`: an internal fault of the adapter.
    case internalError
    /// `?`: the adapter does not know the command.
    case unknownCommand
}
