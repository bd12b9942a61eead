import OBDCore

/// The remaining steps of the set-up of a CAN link, and its findings.
struct CANSetup: Hashable, Sendable {
    /// A command to an slcan adapter.
    enum Command: Hashable, Sendable {
        /// Closes the bus and completes a partial line in the adapter's input.
        case sync
        case version
        case close
        /// Sets the rate; unit: bit/s.
        case rate(Int)
        /// Opens the bus in listen-only mode at this bit rate.
        case listen(Int)
        case open
        /// Sends nothing and gives the adapter time.
        case settle

        /// The command line; nil if nothing is sent.
        var line: String? {
            switch self {
            // Two line ends: one for a partial line, one for an adapter that misses the first while it wakes
            // up.
            case .sync: "\r\rC\r"
            case .version: "V\r"
            case .close: "C\r"
            case .rate(let rate): SLCAN.rateCommand(rate).map { $0 + "\r" }
            case .listen: "L\r"
            case .open: "O\r"
            case .settle: nil
            }
        }
    }

    struct Question: Hashable, Sendable {
        var payload: [UInt8]
        var vehicleProtocol: VehicleProtocol
        /// The protocol under which the answer is remembered; nil for any.
        var forced: VehicleProtocol?
        /// The bit rate of the bus, if known; unit: bit/s.
        var rate: Int?
    }

    enum Step: Hashable, Sendable {
        case command(Command)
        case hear(rate: Int)
        /// Choose the first bit rate that may be right.
        case settleRate
        case ask(Question)
        /// No ECU answered at this bit rate.
        case giveUp
    }

    /// The remaining steps, in order.
    var steps: ArraySlice<Step> = []
    /// The bit rate that a frame has proven; unit: bit/s.
    var proven: Int?
    /// Bit rates at which no request was sent yet.
    var rates: ArraySlice<Int> = []
    /// The bit rate at which the bus was opened; unit: bit/s, nil if not known.
    var openRate: Int?
    /// The protocol that the user asked for, if the bus has to be opened for it.
    var wanted: VehicleProtocol?
    /// The protocol on which an ECU refused the first question.
    var heardOn: VehicleProtocol?
    /// The number of bytes received since the set-up began.
    var bytes = 0

    /// The controller's report that came instead of an answer.
    var fault: AdapterStatus?
    /// Whether an slcan adapter refused to open the bus.
    var isRefused = false

    // The answer to the current request.
    var messages: [ECUMessage] = []
    var statuses: [AdapterStatus] = []
    var isDamaged = false

    static let support: [UInt8] = [0x01, 0x00]
    static let onUDS: [UInt8] = [0x22, 0xF8, 0x10]
    static let isOnUDS: [UInt8] = [0x62, 0xF8, 0x10, 0x01]
    static let activeCodes: [UInt8] = [0x00, 0xFE, 0xCA]

    /// The requests at a bit rate, in order.
    static func questions(rate: Int?, only fixed: VehicleProtocol?) -> [Question] {
        if let fixed {
            if fixed == .j1939 {
                return [Question(payload: activeCodes, vehicleProtocol: fixed, forced: fixed)]
            }
            return [support, support, onUDS].map {
                Question(payload: $0, vehicleProtocol: fixed, forced: fixed, rate: rate)
            }
        }
        let isSlow = rate == 250_000
        let forms: [VehicleProtocol] =
            switch rate {
            case nil, 500_000: [.can11At500, .can29At500]
            case 250_000: [.can11At250, .can29At250]
            default: [.userCAN1]
            }
        // The first request is repeated, because a gateway may sleep and some adapters lose the first frame.
        var questions = (forms + forms.prefix(1)).map {
            Question(payload: support, vehicleProtocol: $0, forced: nil, rate: rate)
        }
        questions += forms.map {
            Question(payload: onUDS, vehicleProtocol: $0, forced: $0, rate: rate)
        }
        if isSlow || rate == nil {
            questions.append(
                Question(payload: activeCodes, vehicleProtocol: .j1939, forced: .j1939, rate: rate))
        }
        return questions
    }
}

extension VehicleProtocol {
    /// The bit rate of the bus; unit: bit/s, nil if the protocol is not CAN.
    var canRate: Int? {
        switch self {
        case .can11At500, .can29At500: 500_000
        case .can11At250, .can29At250, .j1939: 250_000
        case .userCAN1: 125_000
        case .userCAN2: 50_000
        case .j1850PWM, .j1850VPW, .iso9141, .iso14230Slow, .iso14230Fast, .doip: nil
        }
    }
}
