import Accessory
public import Publishing

/// What is wrong with a configuration file.
public struct SettingsError: Error, Hashable, Sendable {
    /// What it is.
    public enum Fault: Hashable, Sendable {
        /// The file is not UTF-8.
        case notUTF8
        /// The file is not TOML: what the reader expected.
        case syntax(String)
        /// No setting has this name; one with nearly the same.
        case unknown(String, near: String?)
        /// A value where a table has to be.
        case notATable(String)
        /// Not a text where one has to be.
        case notAText(String)
        /// Not a list of texts where one has to be.
        case notAList(String)
        /// Name, value, and what is wrong with it.
        case wrong(String, String, SettingFault)
        /// A setting in braces cannot be removed.
        case inBraces(String)
    }

    /// What it is.
    public var fault: Fault
    /// The line, counted from 1; nil = the file as a whole.
    public var line: Int?

    /// A fault at a line.
    public init(_ fault: Fault, _ line: Int?) {
        self.fault = fault
        self.line = line
    }
}

/// Why one setting cannot be changed.
public enum SettingsChangeError: Error, Hashable, Sendable {
    /// The file was wrong before.
    case before(SettingsError)
    /// The file would be wrong afterwards.
    case after(SettingsError)
}

/// What is wrong with a value.
public enum SettingFault: Hashable, Sendable {
    /// An empty text.
    case empty
    /// Not one of these words.
    case notOneOf([String])
    /// Not a vehicle protocol.
    case notAProtocol
    /// Neither absolute nor below the home directory.
    case notAPath
    /// Neither gpsd nor a receiver.
    case notAPositionSource
    /// Neither on nor off.
    case notOnOrOff
    /// An empty list of conditions.
    case noCondition
    /// This one is not a condition.
    case notACondition(String)
    /// Not a path below /dev.
    case notBelowDev
    /// An empty list of signals.
    case noSignal
    /// Not a number in this range.
    case notANumber(ClosedRange<Double>)
    /// Not a currency.
    case notACurrency
    /// Not an address of a server or a broker, for this reason.
    case notASink(SinkAddress.Fault)
    /// Not made of small letters, digits, - and _.
    case notAnIdentifier
    /// Not a length of time.
    case notADuration
    /// A name where an address has to be.
    case notAnAddress
    /// Not an address, for this reason.
    case address(String)
}

/// What others have to say about values.
public struct SettingsChecks: Sendable {
    /// Why a text cannot be an accessory's address; nil = it can.
    public var addressFault: @Sendable (String) -> String?
    /// Whether a text is a condition to be told of.
    public var isCondition: @Sendable (String) -> Bool

    /// These checks.
    public init(
        addressFault: @escaping @Sendable (String) -> String?,
        isCondition: @escaping @Sendable (String) -> Bool
    ) {
        self.addressFault = addressFault
        self.isCondition = isCondition
    }

    /// An address, or a name that the settings may give one.
    public func fault(ofDevice text: String) -> SettingFault? {
        TransportRegistry.isName(text) ? nil : addressFault(text).map { .address($0) }
    }

    /// An address.
    public func fault(ofAlias text: String) -> SettingFault? {
        TransportRegistry.isName(text) ? .notAnAddress : fault(ofDevice: text)
    }
}
