import PIDTables

@testable import TableImport

/// Invented files in the formats of other programs.
enum Samples {
    static let obdb = """
        { "commands": [
        { "hdr": "7E4", "rax": "7EC", "cmd": {"22": "0101"}, "freq": 1,
          "signals": [
            {"id": "CAR_SOC", "path": "Battery", "name": "State of charge", "suggestedMetric": "stateOfCharge",
             "fmt": {"bix": 0, "len": 8, "max": 100, "div": 2, "unit": "percent"}},
            {"id": "CAR_CURRENT", "name": "Current",
             "fmt": {"bix": 8, "len": 16, "sign": true, "div": 10, "unit": "amps", "min": -500, "max": 500}},
            {"id": "CAR_GEAR", "name": "Gear", "fmt": {"bix": 24, "len": 2,
             "map": {"0": {"value": "PARK", "description": "Park"}, "2": {"value": "DRIVE", "description": "Drive"}}}},
            {"id": "CAR_READY", "name": "Ready", "fmt": {"bix": 31, "len": 1, "unit": "offon"}},
            {"id": "CAR_BYTE", "name": "State", "fmt": {"bix": 24, "len": 8, "unit": "scalar"}},
            {"id": "CAR_LITTLE", "name": "Counter", "fmt": {"bix": 32, "len": 16, "blsb": true, "unit": "scalar"}},
            {"id": "CAR_TEMP", "name": "Temperature",
             "fmt": {"bix": 48, "len": 8, "add": -40, "nullmax": 215, "nullmin": -40, "unit": "celsius"}},
            {"id": "CAR_NAME", "name": "Name", "fmt": {"bix": 56, "len": 24, "unit": "ascii"}}
          ]},
        { "hdr": "DA11", "cmd": {"22": "2002"}, "filter": {"to": 2017, "from": 2027}, "signals": [
            {"id": "CAR_ODO", "name": "Odometer", "suggestedMetric": "odometer", "fmt": {"len": 24, "unit": "kilometers"}}]},
        { "hdr": "7E0", "rax": "7E8", "cmd": {"22": "3000"}, "filter": {"to": 2019}, "signals": [
            {"id": "CAR_ALL", "name": "All", "fmt": {"bix": 16, "len": 8, "unit": "psi"}},
            {"id": "CAR_FL", "name": "Front left", "fmt": {"len": 8, "unit": "psi"}}]},
        { "hdr": "7E0", "rax": "7E8", "cmd": {"22": "3000"}, "filter": {"from": 2020}, "signals": [
            {"id": "CAR_FL", "name": "Front left", "fmt": {"bix": 8, "len": 8, "unit": "psi"}},
            {"id": "CAR_ALL", "name": "All", "fmt": {"bix": 16, "len": 8, "unit": "psi"}}]},
        { "hdr": "7E0", "cmd": {"2F": "3000"}, "signals": [
            {"id": "CAR_HORN", "name": "Horn", "fmt": {"len": 8, "unit": "scalar"}}]},
        { "hdr": "6F1", "eax": "07", "tst": "F1", "rax": "607", "cmd": {"22": "DDBC"}, "din": "03", "signals": [
            {"id": "CAR_SOH", "name": "State of health", "suggestedMetric": "stateOfHealth", "fmt": {"len": 16, "div": 10, "unit": "percent"}}]}
        ] }
        """

    static let obdbTests = """
        command_id: 7E4.7EC.220101
        test_cases:
        - response: |-
            7EC100D620101C8FFF6
            7EC2180123450454E4F
          expected_values:
            CAR_SOC: 100
            CAR_CURRENT: -1.0
            CAR_GEAR: DRIVE
            CAR_READY: 0
        - response: "7EC100D62010164F060\\n7EC21000110FF455645"
          expected_values:
            CAR_SOC: 50
            CAR_CURRENT: -400
            CAR_TEMP: 99
        - response: 7EC100D62010164F060
          expected_values:
            CAR_SOC: 50
        """

    static let torque = """
        ~ a comment
        Name,ShortName,ModeAndPID,Equation,Min Value,Max Value,Units,Header

        "000_State of Charge", "SOC", "0x220101", "A/2", 0, 100, "%", "7E4"
        Battery current,Current,220101,(SIGNED(B)*256))+C,-500,500,A,7E4
        Byte four,B4,220101,D,0,255,,7e4
        Bit of it,B4.3,220101,{D:3},0,1,,7E4
        Calculated,Calc,,val{Battery current}*2,0,1,W,
        Near,Near,220102,A*2.55+B*0.01,0,1,V,7E4
        Horn,Horn,2F0102,A,0,1,,7E4
        Speed,Speed,010D,A,0,255,km/h,
        Old car,Old,2101,A*0.1,0,25,v,8416F1
        Toyota tyre,Tyre,2130,A,0,255,psi,750,atcea2a\\natta2a,,1,
        Gang,Gang,220103,LOOKUP(A::1='first':2='second'),0,9,,7E4
        Two lines,Two,2201051,A*0.5,0,100,%,7E4
        """

    static let wican = """
        { "car_model": "Maker: Model", "init": "ATSP6;ATSH7E4;ATCRA7EC;",
          "pids": [
            { "pid": "2201019", "pid_init": "", "parameters": {
                "SOC": "B9/2", "HV_A": "[S11:S12]/10", "COUNTER": "B16", "ACROSS": "[B15:B17]",
                "BIT": "B9:7" } },
            { "pid": "22B002", "pid_init": "ATSH7C6;ATCRA7CE;", "parameters": [
                {"name": "ODOMETER", "expression": "[B4:B6]", "unit": "km", "class": "distance", "min": "0", "max": "999999"} ] },
            { "pid": "2101", "parameters": { "LENGTH": "B0", "OLD": "B3*0.1", "GONE": "" } }
          ] }
        """

    static let abrp = """
        { "init_commands": ["ATSP6"], "obd_protocol": "6",
          "soc": {"equation": "A/2.0", "command": "220101", "ecu": "7EC", "minValue": 0, "maxValue": 100},
          "current": {"equation": "((Signed(B)*256)+C)/10", "command": "220101", "ecu": "7EC"},
          "is_charging": {"equation": "{D:3}&&!{D:2}", "command": "220101", "ecu": "7EC"},
          "voltage": {"equation": "A<<8+B", "command": "0322028C55555555", "ecu": "7EC"} }
        """

    static let dbc = """
        VERSION ""
        BU_:
        BO_ 2024 OBD2: 8 Vector__XXX
         SG_ service M : 11|4@0+ (1,0) [0|15] "" Vector__XXX
         SG_ Identifier m2M : 23|16@0+ (1,0) [0|65535] "" Vector__XXX
         SG_ Oil m4864 : 39|8@0+ (1,-40) [-40|215] "degC" Vector__XXX
         SG_ Turns m4865 : 32|16@1- (0.5,0) [0|0] "rpm" Vector__XXX
         SG_ Lever m4866 : 33|2@0+ (1,0) [0|3] "" Vector__XXX
        BO_ 291 Wheels: 8 Vector__XXX
         SG_ Speed : 7|16@0+ (0.01,0) [0|300] "km/h" Vector__XXX
        CM_ SG_ 2024 Oil "two
        lines";
        VAL_ 2024 Lever 0 "P" 1 "R" 2 "N" 3 "D" ;
        """

    static let all: [(file: String, text: String)] = [
        ("default.json", obdb), ("list.csv", torque), ("profile.json", wican), ("abrp.json", abrp),
        ("obd.dbc", dbc),
    ]

    static func source(
        _ text: String, _ file: String = "f", _ options: ImportOptions = ImportOptions()
    ) throws -> ImportedSource {
        try TableSource.read(Array(text.utf8), file, options)
    }

    static func table(_ sources: [ImportedSource]) -> ImportedTable {
        ImportedTable(
            sources,
            from: sources.map {
                .init(file: $0.file, format: $0.format, digest: "00", date: "2026-01-02")
            })
    }

    static func lint(_ table: ImportedTable) -> [TableFinding] {
        PIDTables.lint([TableFile(path: "t", contents: Array(table.text.utf8))])
            .filter(\.isError)
    }
}
