public import OBDCore

extension AdapterStatus {
    /// The status in words, in place of an ECU's answer.
    public func explanation(insteadOfAnswerAt accessory: String) -> Explanation {
        explanation(at: accessory)
            ?? Explanation(
                "\(accessory): the adapter did not understand the request (?)",
                hint: "try --protocol, or another adapter", .unavailable)
    }

    /// The hint for a controller that counts errors: root restarts an interface by setting it down and up.
    private static func hint(forErrorsOn accessory: String, otherwise last: String) -> String {
        let check = "check the bit rate, CAN-H and CAN-L, and the 60 ohms between them; then "
        guard accessory.hasPrefix("can:") else { return check + last }
        let interface = accessory.dropFirst(4)
        return check
            + "sudo ip link set \(interface) down; sudo ip link set \(interface) up"
    }

    /// The status in words, in place of data; nil for a status that is itself an answer.
    public func explanation(at accessory: String) -> Explanation? {
        let what: String
        let hint: String
        var category = Explanation.Category.unavailable
        var isSilence = false
        switch self {
        case .noData:
            // Other dialects are silent without these words, and an ELM327 may have said others before.
            what = "no ECU answered"
            hint = "the vehicle may not support it, or the ignition is off"
            category = .timedOut
        case .unableToConnect:
            isSilence = true
            what = "the adapter works, but the vehicle does not answer (UNABLE TO CONNECT)"
            hint =
                "turn the ignition on and push the plug in firmly; --protocol tries a single protocol"
        case .busInitError:
            isSilence = true
            what = "the vehicle's bus could not be initialised (BUS INIT: ERROR)"
            hint = "turn the ignition on; wait five seconds before the next try"
        case .busBusy:
            what = "the vehicle's bus is busy (BUS BUSY)"
            hint = "try again"
            category = .timedOut
        case .busError:
            isSilence = true
            what = "invalid signals on the vehicle's bus (BUS ERROR)"
            hint = "check the plug; --protocol auto looks for the right protocol"
        case .canError:
            isSilence = true
            what = "no ECU on the CAN bus acknowledges (CAN ERROR)"
            hint = "turn the ignition on; --protocol auto looks for the right protocol"
        case .dataError, .rxError:
            what = "answers came damaged"
            hint = "check the plug; --protocol auto looks for the right protocol"
        case .bufferFull:
            what = "the adapter's buffer was full (BUFFER FULL)"
            hint = "request fewer signals at once, or use a faster line"
        case .feedbackError:
            what = "the adapter's output does not work (FB ERROR)"
            hint = "the adapter or its plug is broken"
        case .stopped:
            what = "the adapter was interrupted (STOPPED)"
            hint = "try again"
            category = .timedOut
        case .flowControlTimeout:
            what = "the ECU did not accept a long request (FC RX TIMEOUT)"
            hint = "try again, or ask one ECU alone with --ecu"
            category = .timedOut
        case .lowVoltageReset:
            what = "the supply voltage dropped and the adapter restarted (LV RESET)"
            hint = "check the plug and the car's battery"
        case .internalError:
            what = "the adapter reports an internal fault"
            hint = "unplug the adapter and plug it in again"
        case .fatalCANError:
            isSilence = true
            what = "the adapter gave up after a fault on the CAN bus (ERR94)"
            hint =
                "check the plug and the protocol; --protocol auto looks for the right one; then unplug "
                + "the adapter and plug it in again"
        case .activityAlert, .lowPowerAlert:
            what = "the adapter warned that it will sleep, and did not answer (\(text))"
            hint = "try again; if it sleeps again, unplug the adapter and plug it in again"
            category = .timedOut
        case .confirmation:
            what = "the adapter said OK instead of an answer"
            hint = "try again, or unplug the adapter and plug it in again"
            category = .timedOut
        case .unknownCommand:
            return nil
        case .busOff:
            what = "the CAN controller left the bus after too many errors (bus-off)"
            hint = Self.hint(
                forErrorsOn: accessory, otherwise: "unplug the adapter and plug it in again")
        case .errorPassive:
            what = "the CAN controller counts many errors (error passive)"
            hint = Self.hint(forErrorsOn: accessory, otherwise: "try again")
        case .wireFault:
            what = "the CAN transceiver reports a broken or shorted wire"
            hint = "check CAN-H (pin 6) and CAN-L (pin 14) of the vehicle's socket, and the plug"
        case .notAcknowledged:
            what = "no ECU on the CAN bus acknowledges any frame"
            hint = "turn the ignition on; check the bus's bit rate, CAN-H and CAN-L"
        case .sourceRefused:
            what = "the DoIP gateway refuses this tester's address (8003, code 02)"
            hint = "another one may be allowed: -d doip:HOST?source=0E00"
        case .unknownTarget:
            what = "the DoIP gateway knows no ECU at that address (8003, code 03)"
            hint =
                "obdscan dtc list --all-modules finds ECUs; doip:HOST?functional=E400 sets the "
                + "address of all of them"
        case .requestTooLong:
            what = "the DoIP gateway refuses a request of that length (code 04)"
            hint = "request fewer signals at once"
        case .gatewayBusy:
            what = "the DoIP gateway has no memory left for the request (code 05)"
            hint = "end other programs that use it, then try again"
        case .targetUnreachable:
            what = "the DoIP gateway cannot reach the ECU (8003, code 06)"
            hint = "turn the ignition on"
            category = .timedOut
        case .unknownNetwork:
            what = "the DoIP gateway does not know the ECU's network (8003, code 07)"
            hint = "obdscan dtc list --all-modules finds ECUs"
        case .messageRefused:
            what = "the DoIP gateway refused the message (0000)"
            hint = "it may not know such a request; ask one ECU alone with --ecu"
        case .transportFailed:
            what = "the network between the DoIP gateway and the ECU fails (8003, code 08)"
            hint = "turn the ignition on, then try again"
            category = .timedOut
        }
        return Explanation(
            "\(accessory): \(what)", hint: hint, category, isOfSilentVehicle: isSilence)
    }
}
