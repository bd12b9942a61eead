function __obdscan_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __obdscan_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __obdscan_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __obdscan_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __obdscan_parse_tokens -S
    set -l unparsed_tokens (__obdscan_tokens -pc)
    switch $unparsed_tokens[1]
    case 'obdscan'
        __obdscan_parse_subcommand 0 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'devices'
            __obdscan_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'list'
                __obdscan_parse_subcommand 0 'db=' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'show'
                __obdscan_parse_subcommand 1 'db=' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'watch'
                __obdscan_parse_subcommand 0 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            end
        case 'info'
            __obdscan_parse_subcommand 0 'd/device=' 'adapter=' 'protocol=' 'ecu=' 'record=' 'trace-states' 'db=' 'pids=+' 'pack=+' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
        case 'pids'
            __obdscan_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'list'
                __obdscan_parse_subcommand -r 1 'service=' 'supported' 'd/device=' 'adapter=' 'protocol=' 'ecu=' 'record=' 'trace-states' 'db=' 'pids=+' 'pack=+' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'show'
                __obdscan_parse_subcommand -r 1 'pids=+' 'pack=+' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'packs'
                __obdscan_parse_subcommand 0 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'count'
                __obdscan_parse_subcommand 0 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'lint'
                __obdscan_parse_subcommand -r 1 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            end
        case 'read'
            __obdscan_parse_subcommand -r 1 'd/device=' 'adapter=' 'protocol=' 'ecu=' 'record=' 'trace-states' 'db=' 'pids=+' 'pack=+' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
        case 'live'
            __obdscan_parse_subcommand -r 1 'view=' 'duration=' 'every=' 'why' 'battery-safe' 'no-battery-safe' 'alarm=+' 'alarm-command=' 'd/device=' 'adapter=' 'protocol=' 'ecu=' 'record=' 'trace-states' 'db=' 'pids=+' 'pack=+' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
        case 'dtc'
            __obdscan_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'list'
                __obdscan_parse_subcommand 0 'all-modules' 'exit-code' 'batch=' 'to=' 'd/device=' 'adapter=' 'protocol=' 'ecu=' 'record=' 'trace-states' 'db=' 'pids=+' 'pack=+' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'clear'
                __obdscan_parse_subcommand 0 'yes' 'force' 'd/device=' 'adapter=' 'protocol=' 'ecu=' 'record=' 'trace-states' 'db=' 'pids=+' 'pack=+' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'explain'
                __obdscan_parse_subcommand -r 1 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'history'
                __obdscan_parse_subcommand -r 1 'vehicle=' 'db=' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'report'
                __obdscan_parse_subcommand 0 'to=' 'since=' 'until=' 'of=' 'd/device=' 'adapter=' 'protocol=' 'ecu=' 'record=' 'trace-states' 'db=' 'pids=+' 'pack=+' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            end
        case 'freeze'
            __obdscan_parse_subcommand 0 'frame=' 'd/device=' 'adapter=' 'protocol=' 'ecu=' 'record=' 'trace-states' 'db=' 'pids=+' 'pack=+' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
        case 'monitors'
            __obdscan_parse_subcommand 0 'readiness' 'trend' 'exit-code' 'd/device=' 'adapter=' 'protocol=' 'ecu=' 'record=' 'trace-states' 'db=' 'pids=+' 'pack=+' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
        case 'log'
            __obdscan_parse_subcommand -r 1 'duration=' 'every=' 'why' 'battery-safe' 'no-battery-safe' 'until-off' 'silence=' 'standstill=' 'tag=+' 'name=' 'keep=' 'commit-every=' 'fast' 'gps=' 'd/device=+' 'alarm=+' 'alarm-command=' 'adapter=' 'protocol=' 'ecu=' 'record=' 'trace-states' 'db=' 'pids=+' 'pack=+' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
        case 'trips'
            __obdscan_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'list'
                __obdscan_parse_subcommand 0 'latest=' 'vehicle=' 'tag=' 'name=' 'from=' 'until=' 'all' 'db=' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'show'
                __obdscan_parse_subcommand 1 'db=' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'report'
                __obdscan_parse_subcommand 1 'to=' 'signal=+' 'db=' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'fuel'
                __obdscan_parse_subcommand -r 1 'from=' 'until=' 'vehicle=' 'filled=' 'save' 'db=' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'compare'
                __obdscan_parse_subcommand 2 'db=' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'name'
                __obdscan_parse_subcommand 2 'db=' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'tag'
                __obdscan_parse_subcommand -r 2 'remove' 'db=' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'note'
                __obdscan_parse_subcommand 2 'at=' 'db=' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'split'
                __obdscan_parse_subcommand 1 'at=' 'gap=' 'standstill=' 'db=' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'join'
                __obdscan_parse_subcommand -r 1 'db=' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'delete'
                __obdscan_parse_subcommand -r 1 'purge' 'yes' 'db=' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'undo'
                __obdscan_parse_subcommand 0 'db=' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            end
        case 'export'
            __obdscan_parse_subcommand -r 1 'all' 'tag=' 'to=' 'layout=' 'every=' 'fill=' 'signal=+' 'ecu=' 'from=' 'until=' 'relative' 'db=' 'format=' 'units=' 'q/quiet' 'log-file=' 'version' 'h/help'
        case 'import'
            __obdscan_parse_subcommand -r 1 'name=' 'pids=+' 'pack=+' 'db=' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
        case 'db'
            __obdscan_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'check'
                __obdscan_parse_subcommand 0 'db=' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'recover'
                __obdscan_parse_subcommand 0 'to=' 'db=' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'compact'
                __obdscan_parse_subcommand 0 'keep=' 'yes' 'db=' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'merge'
                __obdscan_parse_subcommand -r 1 'db=' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'redecode'
                __obdscan_parse_subcommand -r 1 'dry-run' 'pids=+' 'pack=+' 'db=' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            end
        case 'decode'
            __obdscan_parse_subcommand -r 1 'request=' 'protocol=' 'messages' 'table=+' 'pids=+' 'pack=+' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
        case 'send'
            __obdscan_parse_subcommand -r 1 'yes' 'force' 'accessory-demo' 'duration=' 'd/device=' 'adapter=' 'protocol=' 'ecu=' 'record=' 'trace-states' 'db=' 'pids=+' 'pack=+' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
        case 'simulate'
            __obdscan_parse_subcommand 1 'pty' 'link=' 'tcp=' 'rfcomm=' 'latency=' 'baud=' 'personality=' 'requests=' 'vehicle=' 'faults=' 'seed=' 'lint' 'show' 'list' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
        case 'bench'
            __obdscan_parse_subcommand -r 1 'requests=' 'duration=' 'd/device=' 'adapter=' 'protocol=' 'ecu=' 'record=' 'trace-states' 'db=' 'pids=+' 'pack=+' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
        case 'doctor'
            __obdscan_parse_subcommand 0 'd/device=' 'protocol=' 'record=' 'adapter' 'db=' 'pids=+' 'pack=+' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
        case 'report'
            __obdscan_parse_subcommand 0 'to=' 'd/device=' 'protocol=' 'db=' 'pids=+' 'pack=+' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
        case 'config'
            __obdscan_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'list'
                __obdscan_parse_subcommand 0 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
            case 'get'
                __obdscan_parse_subcommand 1 'version' 'h/help'
            case 'set'
                __obdscan_parse_subcommand -r 2 'version' 'h/help'
            case 'unset'
                __obdscan_parse_subcommand 1 'version' 'h/help'
            case 'edit'
                __obdscan_parse_subcommand 0 'version' 'h/help'
            case 'check'
                __obdscan_parse_subcommand 0 'version' 'h/help'
            end
        case 'setup'
            __obdscan_parse_subcommand 0 'd/device=' 'name=' 'log-when-plugged' 'no-log-when-plugged' 'db=' 'pids=+' 'pack=+' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
        case 'serve'
            __obdscan_parse_subcommand -r 1 'view=' 'every=' 'listen=' 'token=' 'host=+' 'offline' 'battery-safe' 'no-battery-safe' 'd/device=' 'adapter=' 'protocol=' 'ecu=' 'record=' 'trace-states' 'db=' 'pids=+' 'pack=+' 'format=' 'units=' 'no-color' 'q/quiet' 'v/verbose' 'log-file=' 'version' 'h/help'
        case 'help'
            __obdscan_parse_subcommand -r 1 'version'
        end
    end
end

function __obdscan_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __obdscan_parse_subcommand -S -a positional_count
    argparse -s r -- $argv
    set -l option_specs $argv[2..]
    set -l is_repeating_positional $_flag_r
    set -el _flag_r
    set -a commands $unparsed_tokens[1]
    set positional_index 0
    while true
        set -e unparsed_tokens[1]
        argparse -sn "$commands" $option_specs -- $unparsed_tokens 2> /dev/null
        set unparsed_tokens $argv
        set positional_index (math $positional_index + 1)
        for non_repeating_flag_or_option in $non_repeating_flags_or_options
            if set -ql "_flag_$(string replace -a - _ -- $non_repeating_flag_or_option)"
                set non_repeating_flags_or_options_absent 1
                break
            end
        end
        test (count $unparsed_tokens) -eq 0 -o \( -z "$is_repeating_positional" -a "$positional_index" -gt "$positional_count" \) && break
    end
end

function __obdscan_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __obdscan_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__obdscan_tokens -p)
    if test -z "$(__obdscan_tokens -t)"
        set -l index (count (__obdscan_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'obdscan' -f
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'devices' -d 'Attached and known accessories.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'info' -d 'Adapter, voltage, vehicle protocol, ECUs, VIN, calibrations, supported PIDs.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'pids' -d 'List, show and check the signals that obdscan knows, offline.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'read' -d 'Ask for signals once.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'live' -d 'Continuous readout: a full-screen view, or a line a reading in a pipe.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'dtc' -d 'Read, explain and clear trouble codes.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'freeze' -d 'Freeze frames: what was measured when a code was stored.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'monitors' -d 'Readiness for inspection, and on-board monitoring test results.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'log' -d 'Record a trip to the database.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'trips' -d 'Recorded trips.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'export' -d 'Write trips to CSV, JSON Lines, GPX, KML, line protocol or a database.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'import' -d 'Read logs of other programs and our own exports into the database.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'db' -d 'Care of the database: check, recover, compact, merge, redecode.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'decode' -d 'Decode recorded adapter output, offline.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'send' -d 'Send raw adapter or OBD commands, one reply each.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'simulate' -d 'Serve the simulated vehicle on a pty, on TCP or on RFCOMM, for any scan tool.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'bench' -d 'Measure how fast this adapter and vehicle answer.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'doctor' -d 'Find out why an accessory or vehicle does not answer, and how to mend it.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'report' -d 'Bundle what a bug report needs, with everything personal removed.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'config' -d 'Show and change the configuration file.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'setup' -d 'Find the adapter, try it, and keep it in the configuration.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'serve' -d 'The vehicle and the recorded trips in a browser.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan" -eq 1' -fa 'help' -d 'Show subcommand help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan devices" -eq 1' -fa 'list' -d 'List what is attached, and what was used before.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan devices" -eq 1' -fa 'show' -d 'Everything that is known of one accessory.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan devices" -eq 1' -fa 'watch' -d 'Print connects and disconnects as they happen.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices list" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices list" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices list" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices list" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices list" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices list" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices list" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices list" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices show" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices show" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices show" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices show" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices show" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices show" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices show" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices show" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices show" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices watch" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices watch" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices watch" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices watch" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices watch" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices watch" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices watch" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan devices watch" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan info" d device' -s 'd' -l 'device' -d 'The accessory: /dev/ttyUSB0, rfcomm:ADDRESS, bluetooth:NAME, tcp:HOST:PORT, sim:, replay:FILE, or a name of your own.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan info" adapter' -l 'adapter' -d 'What the adapter speaks.' -rfka 'auto elm327 stn golink'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan info" protocol' -l 'protocol' -d 'The vehicle protocol: auto, 1 to 9, A to C as ELM327 numbers them, or a name.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan info" ecu' -l 'ecu' -d 'Only this ECU: 7E8, 18DAF110, 10.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan info" record' -l 'record' -d 'Write every byte with its time to a file (obdscan-transcript(5)).' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan info" trace-states' -l 'trace-states' -d 'Print every transition of the state machine to stderr.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan info" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan info"' -l 'pids' -d 'Add PID tables from a file or folder; may be repeated.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan info"' -l 'pack' -d 'Add the table of a make or model; may be repeated.' -rfka 'byd-seal hyundai-ioniq-28 hyundai-kia-ev nissan-leaf toyota-86 vw-e-golf'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan info" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan info" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan info" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan info" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan info" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan info" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan info" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan info" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan pids" -eq 1' -fa 'list' -d 'List signals.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan pids" -eq 1' -fa 'show' -d 'Show what a table says of a signal, and why it is believed.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan pids" -eq 1' -fa 'packs' -d 'List the tables of single makes and models.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan pids" -eq 1' -fa 'count' -d 'Count what this build knows.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan pids" -eq 1' -fa 'lint' -d 'Check PID tables.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids list" service' -l 'service' -d 'Only signals of a service (mode): 01, 09, 22.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids list" supported' -l 'supported' -d 'Only what the vehicle says that it supports; asks it.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids list" d device' -s 'd' -l 'device' -d 'The accessory: /dev/ttyUSB0, rfcomm:ADDRESS, bluetooth:NAME, tcp:HOST:PORT, sim:, replay:FILE, or a name of your own.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids list" adapter' -l 'adapter' -d 'What the adapter speaks.' -rfka 'auto elm327 stn golink'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids list" protocol' -l 'protocol' -d 'The vehicle protocol: auto, 1 to 9, A to C as ELM327 numbers them, or a name.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids list" ecu' -l 'ecu' -d 'Only this ECU: 7E8, 18DAF110, 10.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids list" record' -l 'record' -d 'Write every byte with its time to a file (obdscan-transcript(5)).' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids list" trace-states' -l 'trace-states' -d 'Print every transition of the state machine to stderr.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids list" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids list"' -l 'pids' -d 'Add PID tables from a file or folder; may be repeated.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids list"' -l 'pack' -d 'Add the table of a make or model; may be repeated.' -rfka 'byd-seal hyundai-ioniq-28 hyundai-kia-ev nissan-leaf toyota-86 vw-e-golf'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids list" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids list" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids list" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids list" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids list" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids list" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids list" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids show"' -l 'pids' -d 'Add PID tables from a file or folder; may be repeated.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids show"' -l 'pack' -d 'Add the table of a make or model; may be repeated.' -rfka 'byd-seal hyundai-ioniq-28 hyundai-kia-ev nissan-leaf toyota-86 vw-e-golf'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids show" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids show" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids show" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids show" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids show" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids show" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids show" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids show" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids packs" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids packs" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids packs" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids packs" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids packs" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids packs" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids packs" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids packs" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids count" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids count" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids count" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids count" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids count" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids count" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids count" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids count" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan pids lint" -ge 1' -F
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids lint" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids lint" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids lint" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids lint" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids lint" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids lint" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids lint" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan pids lint" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan read" d device' -s 'd' -l 'device' -d 'The accessory: /dev/ttyUSB0, rfcomm:ADDRESS, bluetooth:NAME, tcp:HOST:PORT, sim:, replay:FILE, or a name of your own.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan read" adapter' -l 'adapter' -d 'What the adapter speaks.' -rfka 'auto elm327 stn golink'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan read" protocol' -l 'protocol' -d 'The vehicle protocol: auto, 1 to 9, A to C as ELM327 numbers them, or a name.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan read" ecu' -l 'ecu' -d 'Only this ECU: 7E8, 18DAF110, 10.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan read" record' -l 'record' -d 'Write every byte with its time to a file (obdscan-transcript(5)).' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan read" trace-states' -l 'trace-states' -d 'Print every transition of the state machine to stderr.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan read" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan read"' -l 'pids' -d 'Add PID tables from a file or folder; may be repeated.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan read"' -l 'pack' -d 'Add the table of a make or model; may be repeated.' -rfka 'byd-seal hyundai-ioniq-28 hyundai-kia-ev nissan-leaf toyota-86 vw-e-golf'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan read" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan read" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan read" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan read" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan read" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan read" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan read" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan read" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live" view' -l 'view' -d 'A list of signals: engine, fuel, emissions, ev, or one of the configuration file.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live" duration' -l 'duration' -d 'End after so long: 90, 90s, 10m, 1h30m.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live" every' -l 'every' -d 'Ask for each signal so often, not as often as the link allows.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live" why' -l 'why' -d 'At the end tell where the time went and what would make it faster.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live" battery-safe' -l 'battery-safe' -d 'Ask for nothing while the vehicle is off, and go on by itself.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live" no-battery-safe' -l 'no-battery-safe' -d 'Ask for nothing while the vehicle is off, and go on by itself.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live"' -l 'alarm' -d 'Tell when a value passes a limit: \'ECT>110\', \'MIL=on\'; may be repeated.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live" alarm-command' -l 'alarm-command' -d 'Run a program when an alarm begins.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live" d device' -s 'd' -l 'device' -d 'The accessory: /dev/ttyUSB0, rfcomm:ADDRESS, bluetooth:NAME, tcp:HOST:PORT, sim:, replay:FILE, or a name of your own.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live" adapter' -l 'adapter' -d 'What the adapter speaks.' -rfka 'auto elm327 stn golink'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live" protocol' -l 'protocol' -d 'The vehicle protocol: auto, 1 to 9, A to C as ELM327 numbers them, or a name.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live" ecu' -l 'ecu' -d 'Only this ECU: 7E8, 18DAF110, 10.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live" record' -l 'record' -d 'Write every byte with its time to a file (obdscan-transcript(5)).' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live" trace-states' -l 'trace-states' -d 'Print every transition of the state machine to stderr.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live"' -l 'pids' -d 'Add PID tables from a file or folder; may be repeated.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live"' -l 'pack' -d 'Add the table of a make or model; may be repeated.' -rfka 'byd-seal hyundai-ioniq-28 hyundai-kia-ev nissan-leaf toyota-86 vw-e-golf'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan live" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan dtc" -eq 1' -fa 'list' -d 'Stored, pending and permanent codes of every ECU.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan dtc" -eq 1' -fa 'clear' -d 'Clear codes, after showing and keeping what is lost.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan dtc" -eq 1' -fa 'explain' -d 'Say what codes mean, offline.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan dtc" -eq 1' -fa 'history' -d 'How codes came and went, from the database.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan dtc" -eq 1' -fa 'report' -d 'Codes, freeze frame, readiness and test results, before and after a repair.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc list" all-modules' -l 'all-modules' -d 'Ask every address where a module may be, not only those of emissions ECUs.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc list" exit-code' -l 'exit-code' -d 'Exit with 1 when there are codes.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc list" batch' -l 'batch' -d 'Read every accessory of a list; - = standard input.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc list" to' -l 'to' -d 'Write the batch\'s table to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc list" d device' -s 'd' -l 'device' -d 'The accessory: /dev/ttyUSB0, rfcomm:ADDRESS, bluetooth:NAME, tcp:HOST:PORT, sim:, replay:FILE, or a name of your own.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc list" adapter' -l 'adapter' -d 'What the adapter speaks.' -rfka 'auto elm327 stn golink'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc list" protocol' -l 'protocol' -d 'The vehicle protocol: auto, 1 to 9, A to C as ELM327 numbers them, or a name.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc list" ecu' -l 'ecu' -d 'Only this ECU: 7E8, 18DAF110, 10.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc list" record' -l 'record' -d 'Write every byte with its time to a file (obdscan-transcript(5)).' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc list" trace-states' -l 'trace-states' -d 'Print every transition of the state machine to stderr.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc list" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc list"' -l 'pids' -d 'Add PID tables from a file or folder; may be repeated.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc list"' -l 'pack' -d 'Add the table of a make or model; may be repeated.' -rfka 'byd-seal hyundai-ioniq-28 hyundai-kia-ev nissan-leaf toyota-86 vw-e-golf'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc list" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc list" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc list" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc list" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc list" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc list" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc list" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc clear" yes' -l 'yes' -d 'Do not ask.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc clear" force' -l 'force' -d 'Also while the engine runs or the vehicle moves.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc clear" d device' -s 'd' -l 'device' -d 'The accessory: /dev/ttyUSB0, rfcomm:ADDRESS, bluetooth:NAME, tcp:HOST:PORT, sim:, replay:FILE, or a name of your own.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc clear" adapter' -l 'adapter' -d 'What the adapter speaks.' -rfka 'auto elm327 stn golink'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc clear" protocol' -l 'protocol' -d 'The vehicle protocol: auto, 1 to 9, A to C as ELM327 numbers them, or a name.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc clear" ecu' -l 'ecu' -d 'Only this ECU: 7E8, 18DAF110, 10.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc clear" record' -l 'record' -d 'Write every byte with its time to a file (obdscan-transcript(5)).' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc clear" trace-states' -l 'trace-states' -d 'Print every transition of the state machine to stderr.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc clear" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc clear"' -l 'pids' -d 'Add PID tables from a file or folder; may be repeated.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc clear"' -l 'pack' -d 'Add the table of a make or model; may be repeated.' -rfka 'byd-seal hyundai-ioniq-28 hyundai-kia-ev nissan-leaf toyota-86 vw-e-golf'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc clear" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc clear" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc clear" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc clear" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc clear" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc clear" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc clear" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc clear" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc explain" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc explain" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc explain" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc explain" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc explain" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc explain" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc explain" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc explain" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc history" vehicle' -l 'vehicle' -d 'Of the vehicle with this VIN or name.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc history" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc history" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc history" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc history" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc history" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc history" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc history" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc history" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc history" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc report" to' -l 'to' -d 'Write a page to this file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc report" since' -l 'since' -d 'Compare with this moment.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc report" until' -l 'until' -d 'Compare this moment, from the database, instead of the vehicle.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc report" of' -l 'of' -d 'With --until: the vehicle with this VIN or name.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc report" d device' -s 'd' -l 'device' -d 'The accessory: /dev/ttyUSB0, rfcomm:ADDRESS, bluetooth:NAME, tcp:HOST:PORT, sim:, replay:FILE, or a name of your own.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc report" adapter' -l 'adapter' -d 'What the adapter speaks.' -rfka 'auto elm327 stn golink'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc report" protocol' -l 'protocol' -d 'The vehicle protocol: auto, 1 to 9, A to C as ELM327 numbers them, or a name.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc report" ecu' -l 'ecu' -d 'Only this ECU: 7E8, 18DAF110, 10.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc report" record' -l 'record' -d 'Write every byte with its time to a file (obdscan-transcript(5)).' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc report" trace-states' -l 'trace-states' -d 'Print every transition of the state machine to stderr.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc report" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc report"' -l 'pids' -d 'Add PID tables from a file or folder; may be repeated.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc report"' -l 'pack' -d 'Add the table of a make or model; may be repeated.' -rfka 'byd-seal hyundai-ioniq-28 hyundai-kia-ev nissan-leaf toyota-86 vw-e-golf'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc report" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc report" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc report" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc report" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc report" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc report" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc report" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan dtc report" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan freeze" frame' -l 'frame' -d 'Frame number; without it the mandatory one, 0, or with OBDonUDS all of them.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan freeze" d device' -s 'd' -l 'device' -d 'The accessory: /dev/ttyUSB0, rfcomm:ADDRESS, bluetooth:NAME, tcp:HOST:PORT, sim:, replay:FILE, or a name of your own.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan freeze" adapter' -l 'adapter' -d 'What the adapter speaks.' -rfka 'auto elm327 stn golink'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan freeze" protocol' -l 'protocol' -d 'The vehicle protocol: auto, 1 to 9, A to C as ELM327 numbers them, or a name.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan freeze" ecu' -l 'ecu' -d 'Only this ECU: 7E8, 18DAF110, 10.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan freeze" record' -l 'record' -d 'Write every byte with its time to a file (obdscan-transcript(5)).' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan freeze" trace-states' -l 'trace-states' -d 'Print every transition of the state machine to stderr.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan freeze" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan freeze"' -l 'pids' -d 'Add PID tables from a file or folder; may be repeated.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan freeze"' -l 'pack' -d 'Add the table of a make or model; may be repeated.' -rfka 'byd-seal hyundai-ioniq-28 hyundai-kia-ev nissan-leaf toyota-86 vw-e-golf'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan freeze" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan freeze" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan freeze" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan freeze" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan freeze" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan freeze" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan freeze" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan freeze" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan monitors" readiness' -l 'readiness' -d 'Readiness only, no test results.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan monitors" trend' -l 'trend' -d 'How the results kept in the database came nearer to their limits.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan monitors" exit-code' -l 'exit-code' -d 'Exit with 1 when a monitor has not run since codes were cleared.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan monitors" d device' -s 'd' -l 'device' -d 'The accessory: /dev/ttyUSB0, rfcomm:ADDRESS, bluetooth:NAME, tcp:HOST:PORT, sim:, replay:FILE, or a name of your own.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan monitors" adapter' -l 'adapter' -d 'What the adapter speaks.' -rfka 'auto elm327 stn golink'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan monitors" protocol' -l 'protocol' -d 'The vehicle protocol: auto, 1 to 9, A to C as ELM327 numbers them, or a name.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan monitors" ecu' -l 'ecu' -d 'Only this ECU: 7E8, 18DAF110, 10.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan monitors" record' -l 'record' -d 'Write every byte with its time to a file (obdscan-transcript(5)).' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan monitors" trace-states' -l 'trace-states' -d 'Print every transition of the state machine to stderr.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan monitors" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan monitors"' -l 'pids' -d 'Add PID tables from a file or folder; may be repeated.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan monitors"' -l 'pack' -d 'Add the table of a make or model; may be repeated.' -rfka 'byd-seal hyundai-ioniq-28 hyundai-kia-ev nissan-leaf toyota-86 vw-e-golf'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan monitors" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan monitors" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan monitors" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan monitors" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan monitors" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan monitors" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan monitors" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan monitors" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" duration' -l 'duration' -d 'End after so long: 90, 90s, 10m, 1h30m.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" every' -l 'every' -d 'Ask for each signal so often, not as often as the link allows.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" why' -l 'why' -d 'At the end tell where the time went and what would make it faster.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" battery-safe' -l 'battery-safe' -d 'Ask for nothing while the vehicle is off, and go on by itself.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" no-battery-safe' -l 'no-battery-safe' -d 'Ask for nothing while the vehicle is off, and go on by itself.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" until-off' -l 'until-off' -d 'End when the vehicle is off.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" silence' -l 'silence' -d 'With --until-off: off means no answer for so long (60s).' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" standstill' -l 'standstill' -d 'With --until-off: off means speed and engine speed 0 for so long (10m).' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log"' -l 'tag' -d 'A word to find the trip by; may be repeated.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" name' -l 'name' -d 'What the trip is called.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" keep' -l 'keep' -d 'First delete drives that ended longer ago and have no name, tag or note.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" commit-every' -l 'commit-every' -d 'Store what was read so often (1s): what a power cut may cost.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" fast' -l 'fast' -d 'Leave it to the system when data reaches the disk.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" gps' -l 'gps' -d 'Record positions from gpsd://HOST:PORT, or NMEA 0183 from serial:PATH?baud=RATE or a path; off: none, whatever the configuration says.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log"' -s 'd' -l 'device' -d 'The accessory: /dev/ttyUSB0, rfcomm:ADDRESS, bluetooth:NAME, tcp:HOST:PORT, sim:, replay:FILE, or a name of your own.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log"' -l 'alarm' -d 'Tell when a value passes a limit: \'ECT>110\', \'MIL=on\'; may be repeated.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" alarm-command' -l 'alarm-command' -d 'Run a program when an alarm begins.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" adapter' -l 'adapter' -d 'What the adapter speaks.' -rfka 'auto elm327 stn golink'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" protocol' -l 'protocol' -d 'The vehicle protocol: auto, 1 to 9, A to C as ELM327 numbers them, or a name.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" ecu' -l 'ecu' -d 'Only this ECU: 7E8, 18DAF110, 10.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" record' -l 'record' -d 'Write every byte with its time to a file (obdscan-transcript(5)).' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" trace-states' -l 'trace-states' -d 'Print every transition of the state machine to stderr.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log"' -l 'pids' -d 'Add PID tables from a file or folder; may be repeated.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log"' -l 'pack' -d 'Add the table of a make or model; may be repeated.' -rfka 'byd-seal hyundai-ioniq-28 hyundai-kia-ev nissan-leaf toyota-86 vw-e-golf'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan log" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan trips" -eq 1' -fa 'list' -d 'List trips, the earliest first.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan trips" -eq 1' -fa 'show' -d 'A trip and the statistics of its signals.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan trips" -eq 1' -fa 'report' -d 'A trip as one page to read, send and print.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan trips" -eq 1' -fa 'fuel' -d 'The fuel of trips by every method, and calibration.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan trips" -eq 1' -fa 'compare' -d 'Two trips side by side, signal by signal.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan trips" -eq 1' -fa 'name' -d 'Name a trip, or take its name away.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan trips" -eq 1' -fa 'tag' -d 'Give a trip tags, or take them away.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan trips" -eq 1' -fa 'note' -d 'Write a remark about a trip, or about a moment of it.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan trips" -eq 1' -fa 'split' -d 'Cut a trip in two, or wherever it had ended.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan trips" -eq 1' -fa 'join' -d 'Make one trip of several that follow each other.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan trips" -eq 1' -fa 'delete' -d 'Delete trips with all their readings.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan trips" -eq 1' -fa 'undo' -d 'Take the last split, join or delete back.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips list" latest' -l 'latest' -d 'The latest so many.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips list" vehicle' -l 'vehicle' -d 'Of the vehicle with this VIN or name.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips list" tag' -l 'tag' -d 'With this tag.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips list" name' -l 'name' -d 'With this name.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips list" from' -l 'from' -d 'That end at or after this point.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips list" until' -l 'until' -d 'That begin before this point.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips list" all' -l 'all' -d 'Not only drives: also what was kept when codes were read or cleared.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips list" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips list" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips list" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips list" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips list" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips list" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips list" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips list" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips show" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips show" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips show" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips show" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips show" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips show" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips show" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips show" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips show" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips report" to' -l 'to' -d 'The file; standard output without.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips report"' -l 'signal' -d 'Plot this signal; may be repeated. Without, what drivers look at first.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips report" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips report" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips report" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips report" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips report" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips report" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips report" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips report" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips report" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips fuel" from' -l 'from' -d 'All drives that end at or after this point.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips fuel" until' -l 'until' -d 'All drives that begin before this point.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips fuel" vehicle' -l 'vehicle' -d 'Only drives of the vehicle with this VIN or name.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips fuel" filled' -l 'filled' -d 'What was filled in after these trips, in litres (kg of natural gas, gallons with --units us or imperial).' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips fuel" save' -l 'save' -d 'Keep the factor that --filled gives in the configuration.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips fuel" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips fuel" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips fuel" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips fuel" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips fuel" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips fuel" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips fuel" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips fuel" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips fuel" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips compare" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips compare" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips compare" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips compare" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips compare" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips compare" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips compare" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips compare" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips compare" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips name" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips name" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips name" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips name" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips name" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips name" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips name" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips name" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips name" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips tag" remove' -l 'remove' -d 'Take these tags away.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips tag" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips tag" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips tag" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips tag" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips tag" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips tag" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips tag" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips tag" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips tag" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips note" at' -l 'at' -d 'When: +12m after the start, or a date and a time.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips note" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips note" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips note" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips note" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips note" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips note" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips note" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips note" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips note" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips split" at' -l 'at' -d 'Cut here: +25m after the start, or a date and a time.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips split" gap' -l 'gap' -d 'Cut wherever nothing was answered for so long.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips split" standstill' -l 'standstill' -d 'Cut wherever it had stood still for so long.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips split" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips split" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips split" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips split" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips split" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips split" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips split" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips split" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips split" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips join" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips join" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips join" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips join" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips join" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips join" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips join" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips join" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips join" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips delete" purge' -l 'purge' -d 'For good: no undo.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips delete" yes' -l 'yes' -d 'Do not ask.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips delete" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips delete" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips delete" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips delete" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips delete" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips delete" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips delete" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips delete" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips delete" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips undo" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips undo" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips undo" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips undo" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips undo" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips undo" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips undo" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips undo" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan trips undo" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan export" all' -l 'all' -d 'All drives.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan export" tag' -l 'tag' -d 'All drives with this tag.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan export" to' -l 'to' -d 'The file to write.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan export" layout' -l 'layout' -d 'How CSV is laid out; several trips are always long.' -rfka 'wide long'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan export" every' -l 'every' -d 'Wide CSV with a line each so often: 100ms, 1s.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan export" fill' -l 'fill' -d 'What stands in wide CSV where nothing was read, with --every.' -rfka 'last linear none'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan export"' -l 'signal' -d 'Only this signal; may be repeated.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan export" ecu' -l 'ecu' -d 'Only this ECU.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan export" from' -l 'from' -d 'Not before: +5m after a trip\'s start, or a date and a time.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan export" until' -l 'until' -d 'Not at or after.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan export" relative' -l 'relative' -d 'Print times as seconds since the trip\'s start (CSV).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan export" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan export" format' -l 'format' -d 'The form; without it the ending of the file decides.' -rfka 'csv json gpx kml influx sqlite'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan export" units' -l 'units' -d 'Units to write; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan export" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no progress.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan export" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan export" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan export" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan import" -ge 1' -F
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan import" name' -l 'name' -d 'What the trip is called.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan import"' -l 'pids' -d 'Add PID tables from a file or folder; may be repeated.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan import"' -l 'pack' -d 'Add the table of a make or model; may be repeated.' -rfka 'byd-seal hyundai-ioniq-28 hyundai-kia-ev nissan-leaf toyota-86 vw-e-golf'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan import" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan import" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan import" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan import" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan import" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan import" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan import" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan import" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan import" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan db" -eq 1' -fa 'check' -d 'Look for damage and contradictions.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan db" -eq 1' -fa 'recover' -d 'Save what is left of a damaged database into a new one.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan db" -eq 1' -fa 'compact' -d 'Give the space of deleted trips back to the disk.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan db" -eq 1' -fa 'merge' -d 'Take the trips of other databases over.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan db" -eq 1' -fa 'redecode' -d 'Decode the raw bytes of trips again with today\'s table.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db check" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db check" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db check" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db check" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db check" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db check" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db check" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db check" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db check" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db recover" to' -l 'to' -d 'The new database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db recover" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db recover" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db recover" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db recover" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db recover" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db recover" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db recover" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db recover" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db recover" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db compact" keep' -l 'keep' -d 'Delete drives that are older.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db compact" yes' -l 'yes' -d 'Do not ask before old drives are deleted.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db compact" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db compact" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db compact" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db compact" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db compact" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db compact" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db compact" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db compact" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db compact" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan db merge" -ge 1' -F
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db merge" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db merge" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db merge" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db merge" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db merge" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db merge" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db merge" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db merge" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db merge" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db redecode" dry-run' -l 'dry-run' -d 'Change nothing, only say what would change.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db redecode"' -l 'pids' -d 'Add PID tables from a file or folder; may be repeated.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db redecode"' -l 'pack' -d 'Add the table of a make or model; may be repeated.' -rfka 'byd-seal hyundai-ioniq-28 hyundai-kia-ev nissan-leaf toyota-86 vw-e-golf'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db redecode" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db redecode" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db redecode" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db redecode" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db redecode" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db redecode" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db redecode" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db redecode" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan db redecode" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan decode" -ge 1' -F
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan decode" request' -l 'request' -d 'What was asked, where the text does not say it: 010C, or ATRV. The input is then one reply.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan decode" protocol' -l 'protocol' -d 'How to read headers: 1 to 9, A to C, or a name such as iso15765-11-500.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan decode" messages' -l 'messages' -d 'Stop after reassembly: one message object for each message of an ECU.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan decode"' -l 'table' -d 'Add a PID table for this run; may be repeated.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan decode"' -l 'pids' -d 'Add PID tables from a file or folder; may be repeated.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan decode"' -l 'pack' -d 'Add the table of a make or model; may be repeated.' -rfka 'byd-seal hyundai-ioniq-28 hyundai-kia-ev nissan-leaf toyota-86 vw-e-golf'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan decode" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan decode" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan decode" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan decode" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan decode" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan decode" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan decode" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan decode" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan send" yes' -l 'yes' -d 'Do not ask before commands that may change something.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan send" force' -l 'force' -d 'Send such commands also while the engine runs or the vehicle moves.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan send" accessory-demo' -l 'accessory-demo' -d 'Talk to an accessory of the four-byte demonstration protocol instead.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan send" duration' -l 'duration' -d 'End listening to the bus, or --accessory-demo, after so long: 90s, 10m, 1h30m.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan send" d device' -s 'd' -l 'device' -d 'The accessory: /dev/ttyUSB0, rfcomm:ADDRESS, bluetooth:NAME, tcp:HOST:PORT, sim:, replay:FILE, or a name of your own.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan send" adapter' -l 'adapter' -d 'What the adapter speaks.' -rfka 'auto elm327 stn golink'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan send" protocol' -l 'protocol' -d 'The vehicle protocol: auto, 1 to 9, A to C as ELM327 numbers them, or a name.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan send" ecu' -l 'ecu' -d 'Only this ECU: 7E8, 18DAF110, 10.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan send" record' -l 'record' -d 'Write every byte with its time to a file (obdscan-transcript(5)).' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan send" trace-states' -l 'trace-states' -d 'Print every transition of the state machine to stderr.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan send" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan send"' -l 'pids' -d 'Add PID tables from a file or folder; may be repeated.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan send"' -l 'pack' -d 'Add the table of a make or model; may be repeated.' -rfka 'byd-seal hyundai-ioniq-28 hyundai-kia-ev nissan-leaf toyota-86 vw-e-golf'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan send" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan send" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan send" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan send" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan send" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan send" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan send" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan send" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan simulate" pty' -l 'pty' -d 'Serve on a pseudo terminal; this is the default.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan simulate" link' -l 'link' -d 'With a pty: make a symbolic link to it.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan simulate" tcp' -l 'tcp' -d 'Serve on this port of 127.0.0.1; 0 = any.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan simulate" rfcomm' -l 'rfcomm' -d 'Serve on this Bluetooth RFCOMM channel.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan simulate" latency' -l 'latency' -d 'Time from a request to its answer, such as 20ms; 0 = nothing takes any time.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan simulate" baud' -l 'baud' -d 'The adapter\'s line rate in bit/s.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan simulate" personality' -l 'personality' -d 'The adapter to simulate; --list names them.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan simulate" requests' -l 'requests' -d 'Write every request that reaches the vehicle to a file: header and bytes, a line each.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan simulate" vehicle' -l 'vehicle' -d 'Serve a vehicle of one\'s own; obdscan-vehicle(5) tells how its file looks.' -rfa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'vehicle\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan simulate" faults' -l 'faults' -d 'Faults on the link, each with its share of bytes or lines, such as drop:0.001,cut:0.01.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan simulate" seed' -l 'seed' -d 'Which of many drives, and which faults; the same number does the same.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan simulate" lint' -l 'lint' -d 'Read the vehicle\'s file, name what is wrong in it, and serve nothing.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan simulate" show' -l 'show' -d 'Print the file of a vehicle that comes with obdscan, to begin one\'s own with.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan simulate" list' -l 'list' -d 'List scenarios, adapters and options.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan simulate" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan simulate" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan simulate" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan simulate" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan simulate" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan simulate" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan simulate" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan simulate" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan bench" requests' -l 'requests' -d 'Requests of each kind, 2 to 10000.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan bench" duration' -l 'duration' -d 'How long to poll at the end.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan bench" d device' -s 'd' -l 'device' -d 'The accessory: /dev/ttyUSB0, rfcomm:ADDRESS, bluetooth:NAME, tcp:HOST:PORT, sim:, replay:FILE, or a name of your own.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan bench" adapter' -l 'adapter' -d 'What the adapter speaks.' -rfka 'auto elm327 stn golink'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan bench" protocol' -l 'protocol' -d 'The vehicle protocol: auto, 1 to 9, A to C as ELM327 numbers them, or a name.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan bench" ecu' -l 'ecu' -d 'Only this ECU: 7E8, 18DAF110, 10.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan bench" record' -l 'record' -d 'Write every byte with its time to a file (obdscan-transcript(5)).' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan bench" trace-states' -l 'trace-states' -d 'Print every transition of the state machine to stderr.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan bench" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan bench"' -l 'pids' -d 'Add PID tables from a file or folder; may be repeated.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan bench"' -l 'pack' -d 'Add the table of a make or model; may be repeated.' -rfka 'byd-seal hyundai-ioniq-28 hyundai-kia-ev nissan-leaf toyota-86 vw-e-golf'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan bench" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan bench" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan bench" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan bench" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan bench" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan bench" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan bench" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan bench" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan doctor" d device' -s 'd' -l 'device' -d 'The accessory, as in other commands.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan doctor" protocol' -l 'protocol' -d 'The vehicle protocol to try alone.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan doctor" record' -l 'record' -d 'Write every byte with its time to a file (obdscan-transcript(5)).' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan doctor" adapter' -l 'adapter' -d 'Grade the adapter: what it claims, what it can do, how fast it is.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan doctor" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan doctor"' -l 'pids' -d 'Add PID tables from a file or folder; may be repeated.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan doctor"' -l 'pack' -d 'Add the table of a make or model; may be repeated.' -rfka 'byd-seal hyundai-ioniq-28 hyundai-kia-ev nissan-leaf toyota-86 vw-e-golf'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan doctor" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan doctor" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan doctor" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan doctor" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan doctor" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan doctor" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan doctor" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan doctor" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan report" to' -l 'to' -d 'Write to this file instead of standard output.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan report" d device' -s 'd' -l 'device' -d 'The accessory, as in other commands.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan report" protocol' -l 'protocol' -d 'The vehicle protocol to try alone.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan report" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan report"' -l 'pids' -d 'Add PID tables from a file or folder; may be repeated.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan report"' -l 'pack' -d 'Add the table of a make or model; may be repeated.' -rfka 'byd-seal hyundai-ioniq-28 hyundai-kia-ev nissan-leaf toyota-86 vw-e-golf'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan report" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan report" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan report" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan report" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan report" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan report" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan report" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan report" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan config" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan config" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan config" -eq 1' -fa 'list' -d 'Print every setting of the file.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan config" -eq 1' -fa 'get' -d 'Print one setting; nothing when it is not set.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan config" -eq 1' -fa 'set' -d 'Change one setting; comments and order of the file stay.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan config" -eq 1' -fa 'unset' -d 'Remove one setting.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan config" -eq 1' -fa 'edit' -d 'Open the file in $VISUAL or $EDITOR, then check it.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_positional "obdscan config" -eq 1' -fa 'check' -d 'Read the file; a wrong line is named.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan config list" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan config list" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan config list" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan config list" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan config list" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan config list" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan config list" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan config list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan config get" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan config get" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan config set" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan config set" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan config unset" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan config unset" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan config edit" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan config edit" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan config check" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan config check" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan setup" d device' -s 'd' -l 'device' -d 'The accessory, as in other commands.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan setup" name' -l 'name' -d 'A name of your own for it, for -d in other commands.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan setup" log-when-plugged' -l 'log-when-plugged' -d 'Log a trip whenever this USB adapter is plugged in, until the vehicle is off.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan setup" no-log-when-plugged' -l 'no-log-when-plugged' -d 'Log a trip whenever this USB adapter is plugged in, until the vehicle is off.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan setup" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan setup"' -l 'pids' -d 'Add PID tables from a file or folder; may be repeated.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan setup"' -l 'pack' -d 'Add the table of a make or model; may be repeated.' -rfka 'byd-seal hyundai-ioniq-28 hyundai-kia-ev nissan-leaf toyota-86 vw-e-golf'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan setup" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan setup" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan setup" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan setup" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan setup" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan setup" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan setup" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan setup" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve" view' -l 'view' -d 'A list of signals: engine, fuel, emissions, ev, or one of the configuration file.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve" every' -l 'every' -d 'Ask for each signal so often, not as often as the link allows.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve" listen' -l 'listen' -d 'Where to listen: an address of this machine and a port; 0 = any free port.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve" token' -l 'token' -d 'The token to ask for, 16 characters or more; generate makes one up.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve"' -l 'host' -d 'A further name of this machine by which it may be asked; may be repeated.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve" offline' -l 'offline' -d 'Show what is recorded only; talk to no vehicle.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve" battery-safe' -l 'battery-safe' -d 'Ask for nothing while the vehicle is off, and go on by itself.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve" no-battery-safe' -l 'no-battery-safe' -d 'Ask for nothing while the vehicle is off, and go on by itself.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve" d device' -s 'd' -l 'device' -d 'The accessory: /dev/ttyUSB0, rfcomm:ADDRESS, bluetooth:NAME, tcp:HOST:PORT, sim:, replay:FILE, or a name of your own.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve" adapter' -l 'adapter' -d 'What the adapter speaks.' -rfka 'auto elm327 stn golink'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve" protocol' -l 'protocol' -d 'The vehicle protocol: auto, 1 to 9, A to C as ELM327 numbers them, or a name.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve" ecu' -l 'ecu' -d 'Only this ECU: 7E8, 18DAF110, 10.' -rfka ''
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve" record' -l 'record' -d 'Write every byte with its time to a file (obdscan-transcript(5)).' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve" trace-states' -l 'trace-states' -d 'Print every transition of the state machine to stderr.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve" db' -l 'db' -d 'The database.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve"' -l 'pids' -d 'Add PID tables from a file or folder; may be repeated.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve"' -l 'pack' -d 'Add the table of a make or model; may be repeated.' -rfka 'byd-seal hyundai-ioniq-28 hyundai-kia-ev nissan-leaf toyota-86 vw-e-golf'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve" format' -l 'format' -d 'How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys.' -rfka 'text json csv'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve" units' -l 'units' -d 'Units to show; what is stored is always metric.' -rfka 'metric imperial us'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve" no-color' -l 'no-color' -d 'No colour (the environment variable NO_COLOR does the same).'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve" q quiet' -l 'quiet' -s 'q' -d 'Print errors only, no notes and no summary.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve" v verbose' -l 'verbose' -s 'v' -d 'Print more of what happens on the way.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve" log-file' -l 'log-file' -d 'Append what happens to a file.' -rF
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve" version' -l 'version' -d 'Show the version.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan serve" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'obdscan' -n '__obdscan_should_offer_completions_for_flags_or_options "obdscan help" version' -l 'version' -d 'Show the version.'
