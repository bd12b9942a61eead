import Diagnostics

extension ResolvedSignals.Unknown {
    package var text: String {
        if isOfAnswer {
            return
                "\"\(name)\" is in messages with the identifier of an ECU's answers, which cannot be "
                + "heard beside requests"
        }
        if isOfForeignGroup {
            return
                "\"\(name)\" is in a parameter group of SAE J1939, and this vehicle does not answer by that: only "
                + "--listen can hear it"
        }
        if isOnlyHeard {
            return
                "\"\(name)\" is in messages that ECUs send by themselves, which live, log and serve hear "
                + "beside requests on can: and slcan:"
        }
        let standards = profiles.map(\.standard).joined(separator: " and ")
        return "the vehicle speaks \(standards), which has no signal \"\(name)\""
    }
}
