import OBDCore

/// The settings of AT and ST commands, with their values after a reset.
struct AdapterSettings: Hashable, Sendable {
    /// ATE.
    var echo = true
    /// ATL.
    var linefeeds = false
    /// ATS.
    var spaces = true
    /// ATH.
    var headers = false
    /// ATCAF.
    var formatting = true
    /// ATCFC.
    var flowControl = true
    /// ATD0, ATD1.
    var dlcDigit = false
    /// ATAL.
    var longMessages = false
    /// ATM.
    var memory = true
    /// ATAT.
    var adaptive: UInt8 = 1
    /// ATST in steps of 4 ms.
    var timeout: UInt8 = 0x32
    /// ATCTM5: steps of 20 ms.
    var slowTimer = false
    /// ATR.
    var responses = true
    /// ATJE (true), ATJS: whether a parameter group is typed most significant byte first.
    var typesGroupsForward = true
    /// ATJHF: J1939 identifiers as priority, parameter group and source.
    var formatsGroups = true
    /// ATJTM5: whether the timeout on SAE J1939 is five times as long.
    var slowGroups = false
    /// ATV.
    var variableDLC = false
    /// The protocol that was set or found; nil if there is none yet.
    var chosen: VehicleProtocol?
    /// Whether other protocols are tried if the chosen one fails.
    var automatic = true
    /// ATSH as typed, or on CAN the identifier without the top five bits; nil for the default.
    var header: UInt32?
    /// ATCP: the top five bits of a 29-bit identifier; ATSH with eight digits also sets it.
    var priority: UInt8 = 0x18
    /// ATCF, ATCRA.
    var filter: UInt32?
    /// ATCM, ATCRA.
    var mask: UInt32?
    /// ATSR, ATRA.
    var receiver: UInt8?
    /// ATCEA.
    var extendedAddress: UInt8?
    /// ATFCSM.
    var flowControlMode: UInt8 = 0
    /// ATFCSH.
    var flowControlHeader: UInt32?
    /// ATFCSD.
    var flowControlData: [UInt8]?
    /// STCSEGR.
    var joinsFrames = false
    /// STCSEGT.
    var splitsRequests = false
    /// STPTO; nil if ATST decides.
    var requestTimeout: Duration?

    /// How long a request waits for its first answer.
    var answerTimeout: Duration {
        requestTimeout ?? .milliseconds(Int(timeout) * (slowTimer ? 20 : 4))
    }
}
