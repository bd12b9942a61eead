/// A status text of an adapter, or a status code of a DoIP gateway, instead of data.
///
/// The raw value is the name in printed `adapterStatus` objects.
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
    /// `FB ERROR`: the adapter's output signal did not read back.
    case feedbackError
    /// `STOPPED`: a character from this program interrupted the adapter.
    case stopped
    /// `FC RX TIMEOUT`: no flow control frame arrived while a long message was being sent.
    case flowControlTimeout
    /// `LV RESET`: the supply voltage dropped and the adapter restarted.
    case lowVoltageReset
    /// `ERRxx`: an internal fault of the adapter.
    case internalError
    /// `ERR94`: a fatal fault of the CAN bus, after which the adapter has restarted.
    case fatalCANError
    /// `ACT ALERT` alone: the adapter will sleep, because no request came.
    case activityAlert
    /// `LP ALERT`, and nothing else: the adapter will sleep in a moment.
    case lowPowerAlert
    /// `OK` instead of an answer, as after a setting.
    case confirmation
    /// `?`: the adapter does not know the command.
    case unknownCommand
    /// A CAN controller counted too many errors and left the bus.
    case busOff
    /// A CAN controller counted many errors and no longer marks them on the bus.
    case errorPassive
    /// A CAN transceiver reports a broken or shorted wire.
    case wireFault
    /// No node on the CAN bus acknowledges the sent frames.
    case notAcknowledged
    /// A DoIP gateway does not accept the tester's logical address (8003, code 02).
    case sourceRefused
    /// A DoIP gateway knows no ECU at that address (8003, code 03).
    case unknownTarget
    /// A DoIP gateway or its ECU does not accept a request of this length (8003, code 04; 0000, code 02).
    case requestTooLong
    /// A DoIP gateway has no memory for the request at the moment (8003, code 05; 0000, code 03).
    case gatewayBusy
    /// A DoIP gateway cannot reach the ECU (8003, code 06).
    case targetUnreachable
    /// A DoIP gateway does not know the network of the ECU (8003, code 07).
    case unknownNetwork
    /// The network between a DoIP gateway and the ECU failed (8003, code 08).
    case transportFailed
    /// A DoIP gateway rejected a message because of its header (0000, codes 00, 01 and 04).
    case messageRefused
}
