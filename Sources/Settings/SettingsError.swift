import Accessory
import Publishing

/// A fault in a configuration file.
package struct SettingsError: Error, Hashable, Sendable {
    package enum Fault: Hashable, Sendable {
        /// The file is not UTF-8.
        case notUTF8
        /// The file is not TOML; with the text that the reader expected.
        case syntax(String)
        /// The setting is unknown; with a similar name if there is one.
        case unknown(String, near: String?)
        /// A value in place of a table.
        case notATable(String)
        case notAText(String)
        /// The value is not a list of texts.
        case notAList(String)
        /// The value is not valid: name, value and fault.
        case wrong(String, String, SettingFault)
        /// A setting in braces cannot be removed.
        case inBraces(String)
    }

    package var fault: Fault
    /// The line, counted from 1; nil = the whole file.
    package var line: Int?

    package init(_ fault: Fault, _ line: Int?) {
        self.fault = fault
        self.line = line
    }
}

/// Why one setting cannot be changed.
package enum SettingsChangeError: Error, Hashable, Sendable {
    /// The file was faulty before the change.
    case before(SettingsError)
    /// The file would be faulty after the change.
    case after(SettingsError)
}

package enum SettingFault: Hashable, Sendable {
    case empty
    case notOneOf([String])
    case notAProtocol
    /// Neither an absolute path nor one in the home directory.
    case notAPath
    /// Neither gpsd nor a receiver.
    case notAPositionSource
    /// Neither on nor off.
    case notOnOrOff
    case noCondition
    /// This text is not a condition.
    case notACondition(String)
    /// Not a path below /dev.
    case notBelowDev
    case noSignal
    /// Not a number in this range.
    case notANumber(ClosedRange<Double>)
    case notACurrency
    /// Not an address of a server or a broker, with the reason.
    case notASink(SinkAddress.Fault)
    /// Not made of small letters, digits, - and _.
    case notAnIdentifier
    case notADuration
    /// Neither off nor an interval of ten seconds or more.
    case notAHeartbeat
    /// Not an interval of an hour or less.
    case notACommitInterval
    /// Not an age of a day or more.
    case notAnAge
    /// Not a size of 1 MB or more.
    case notASpace
    /// Neither on, off nor times of the day.
    case notHours
    /// Not a circle on the ground.
    case notAZone
    /// A name in place of an address.
    case notAnAddress
    /// Not an address, with the reason.
    case address(String)
}

/// Checks of values that other modules provide.
package struct SettingsChecks: Sendable {
    /// Returns why a text is not a device's address; nil = the text is an address.
    package var addressFault: @Sendable (String) -> String?
    /// Returns whether a text is a condition for an alarm.
    package var isCondition: @Sendable (String) -> Bool

    package init(
        addressFault: @escaping @Sendable (String) -> String?,
        isCondition: @escaping @Sendable (String) -> Bool
    ) {
        self.addressFault = addressFault
        self.isCondition = isCondition
    }

    /// Checks an address, or the name of a device.
    package func fault(ofDevice text: String) -> SettingFault? {
        TransportRegistry.isName(text) ? nil : addressFault(text).map { .address($0) }
    }

    package func fault(ofAlias text: String) -> SettingFault? {
        TransportRegistry.isName(text) ? .notAnAddress : fault(ofDevice: text)
    }
}
