import Diagnostics

extension ResolvedSignals.Unknown {
    package var text: String {
        if isOfAnswer {
            return
                "\"\(name)\" is in messages with the identifier of an ECU's answers, which cannot be "
                + "heard beside requests"
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
