/// The names of service 01 signals in other programs.
enum WideNames {
    /// The identifier for a column's name; nil if the name is not listed here.
    static func pid(_ name: String) -> UInt32? {
        pids[name.lowercased()] ?? others[letters(of: name)]
    }

    /// The letters and digits of a name in lower case, because programs use different blanks and
    /// brackets.
    static func letters(of name: String) -> String {
        name.lowercased().filter { $0.isLetter || $0.isNumber }
    }

    // Car Scanner, OBD Fusion, BlueDriver, OBD Auto Doctor, RomRaider, RaceChrono.
    private static let others: [String: UInt32] = [
        "enginespeed": 0x0C, "enginerpm": 0x0C, "rpm": 0x0C, "enginerotations": 0x0C,
        "vehiclespeed": 0x0D, "vehiclespeedsensor": 0x0D, "speedobd": 0x0D,
        "calculatedengineloadvalue": 0x04, "calculatedloadvalue": 0x04,
        "calculatedengineload": 0x04,
        "calculatedload": 0x04, "engineload": 0x04, "enginecoolanttemperature": 0x05,
        "coolanttemperature": 0x05, "enginecoolanttemp": 0x05, "coolanttemp": 0x05,
        "shorttermfueltrimbank1": 0x06, "shorttermfueltrimbank1sensor1": 0x06,
        "shortfueltrimbank1": 0x06, "longtermfueltrimbank1": 0x07, "longfueltrimbank1": 0x07,
        "shorttermfueltrimbank2": 0x08, "longtermfueltrimbank2": 0x09,
        "intakemanifoldabsolutepressure": 0x0B, "intakemanifoldpressure": 0x0B,
        "manifoldabsolutepressure": 0x0B, "ignitiontimingadvance": 0x0E, "timingadvance": 0x0E,
        "ignitiontimingadvanceforcylinder1": 0x0E, "timingadvancecyl1": 0x0E,
        "intakeairtemperature": 0x0F, "intakeairtemp": 0x0F, "massairflow": 0x10,
        "massairflowrate": 0x10, "mafairflowrate": 0x10, "airflowratefrommassairflowsensor": 0x10,
        "massairflowsensor": 0x10, "throttleposition": 0x11, "absolutethrottleposition": 0x11,
        "throttlepositionabsolute": 0x11, "timesinceenginestart": 0x1F,
        "runtimesinceenginestart": 0x1F, "engineruntime": 0x1F, "engineruntine": 0x1F,
        "distancetraveledwithmilon": 0x21,
        "distancetraveledwhilemilactivated": 0x21, "fuellevelinput": 0x2F, "fuellevel": 0x2F,
        "fueltanklevelinput": 0x2F, "distancetraveledsincecodescleared": 0x31,
        "distancesincecodescleared": 0x31, "barometricpressure": 0x33,
        "absolutebarometricpressure": 0x33, "controlmodulevoltage": 0x42, "absoluteloadvalue": 0x43,
        "relativethrottleposition": 0x45, "ambientairtemperature": 0x46,
        "ambientairtemp": 0x46, "outsideairtemperature": 0x46, "absolutethrottlepositionb": 0x47,
        "acceleratorpedalpositiond": 0x49, "acceleratorpedalpositione": 0x4A,
        "commandedthrottleactuator": 0x4C, "engineoiltemperature": 0x5C, "oiltemperature": 0x5C,
        "enginefuelrate": 0x5E,
    ]

    // Torque's names contain blanks, python-OBD's commands underscores.
    private static let pids: [String: UInt32] = [
        "engine load": 0x04, "engine_load": 0x04, "engine coolant temperature": 0x05,
        "coolant_temp": 0x05, "fuel trim bank 1 short term": 0x06, "short_fuel_trim_1": 0x06,
        "fuel trim bank 1 long term": 0x07, "long_fuel_trim_1": 0x07,
        "fuel trim bank 2 short term": 0x08, "short_fuel_trim_2": 0x08,
        "fuel trim bank 2 long term": 0x09, "long_fuel_trim_2": 0x09, "fuel_pressure": 0x0A,
        "fuel pressure": 0x0A, "intake manifold pressure": 0x0B, "intake_pressure": 0x0B,
        "engine rpm": 0x0C, "rpm": 0x0C, "engine_rpm": 0x0C, "speed (obd)": 0x0D, "speed": 0x0D,
        "timing advance": 0x0E, "timing_advance": 0x0E, "intake air temperature": 0x0F,
        "intake_temp": 0x0F, "mass air flow rate": 0x10, "maf": 0x10,
        "throttle position(manifold)": 0x11, "throttle_pos": 0x11,
        "run time since engine start": 0x1F, "run_time": 0x1F,
        "distance travelled with mil/cel lit": 0x21, "distance_w_mil": 0x21,
        "egr commanded": 0x2C, "commanded_egr": 0x2C, "egr error": 0x2D, "egr_error": 0x2D,
        "fuel level (from engine ecu)": 0x2F, "fuel_level": 0x2F,
        "distance travelled since codes cleared": 0x31, "distance_since_dtc_clear": 0x31,
        "barometric pressure (from vehicle)": 0x33, "barometric_pressure": 0x33,
        "voltage (control module)": 0x42, "control_module_voltage": 0x42,
        "engine load(absolute)": 0x43, "absolute_load": 0x43,
        "commanded equivalence ratio": 0x44, "commanded_equiv_ratio": 0x44,
        "relative throttle position": 0x45, "relative_throttle_pos": 0x45,
        "ambient air temp": 0x46, "ambiant_air_temp": 0x46, "absolute throttle position b": 0x47,
        "throttle_pos_b": 0x47, "accelerator pedalposition d": 0x49, "accelerator_pos_d": 0x49,
        "accelerator pedalposition e": 0x4A, "accelerator_pos_e": 0x4A, "ethanol fuel %": 0x52,
        "engine oil temperature": 0x5C, "oil_temp": 0x5C, "fuel_rate": 0x5E,
    ]
}
