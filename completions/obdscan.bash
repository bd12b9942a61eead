#!/bin/bash

__obdscan_cursor_index_in_current_word() {
    local remaining="${COMP_LINE}"

    local word
    for word in "${COMP_WORDS[@]::COMP_CWORD}"; do
        remaining="${remaining##*([[:space:]])"${word}"*([[:space:]])}"
    done

    local -ir index="$((COMP_POINT - ${#COMP_LINE} + ${#remaining}))"
    if [[ "${index}" -le 0 ]]; then
        printf 0
    else
        printf %s "${index}"
    fi
}

# positional arguments:
#
# - 1: the current (sub)command's count of positional arguments
#
# required variables:
#
# - repeating_flags: the repeating flags that the current (sub)command can accept
# - non_repeating_flags: the non-repeating flags that the current (sub)command can accept
# - repeating_options: the repeating options that the current (sub)command can accept
# - non_repeating_options: the non-repeating options that the current (sub)command can accept
# - positional_number: value ignored
# - unparsed_words: unparsed words from the current command line
#
# modified variables:
#
# - non_repeating_flags: remove flags for this (sub)command that are already on the command line
# - non_repeating_options: remove options for this (sub)command that are already on the command line
# - positional_number: set to the current positional number
# - unparsed_words: remove all flags, options, and option values for this (sub)command
__obdscan_offer_flags_options() {
    local -ir positional_count="${1}"
    positional_number=0

    local was_flag_option_terminator_seen=false
    local is_parsing_option_value=false

    local -ar unparsed_word_indices=("${!unparsed_words[@]}")
    local -i word_index
    for word_index in "${unparsed_word_indices[@]}"; do
        if "${is_parsing_option_value}"; then
            # This word is an option value:
            # Reset marker for next word iff not currently the last word
            [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]] && is_parsing_option_value=false
            unset "unparsed_words[${word_index}]"
            # Do not process this word as a flag or an option
            continue
        fi

        local word="${unparsed_words["${word_index}"]}"
        if ! "${was_flag_option_terminator_seen}"; then
            case "${word}" in
            --)
                unset "unparsed_words[${word_index}]"
                # by itself -- is a flag/option terminator, but if it is the last word, it is the start of a completion
                if [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]]; then
                    was_flag_option_terminator_seen=true
                fi
                continue
                ;;
            -*)
                # ${word} is a flag or an option
                # If ${word} is an option, mark that the next word to be parsed is an option value
                local option
                for option in "${repeating_options[@]}" "${non_repeating_options[@]}"; do
                    [[ "${word}" = "${option}" ]] && is_parsing_option_value=true && break
                done

                # Remove ${word} from ${non_repeating_flags} or ${non_repeating_options} so it isn't offered again
                local not_found=true
                local -i index
                for index in "${!non_repeating_flags[@]}"; do
                    if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                        unset "non_repeating_flags[${index}]"
                        non_repeating_flags=("${non_repeating_flags[@]}")
                        not_found=false
                        break
                    fi
                done
                if "${not_found}"; then
                    for index in "${!non_repeating_flags[@]}"; do
                        if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                            unset "non_repeating_flags[${index}]"
                            non_repeating_flags=("${non_repeating_flags[@]}")
                            break
                        fi
                    done
                fi
                unset "unparsed_words[${word_index}]"
                continue
                ;;
            esac
        fi

        # ${word} is neither a flag, nor an option, nor an option value
        if [[ "${positional_number}" -lt "${positional_count}" || "${positional_count}" -lt 0 ]]; then
            # ${word} is a positional
            ((positional_number++))
            unset "unparsed_words[${word_index}]"
        else
            if [[ -z "${word}" ]]; then
                # Could be completing a flag, option, or subcommand
                positional_number=-1
            else
                # ${word} is a subcommand or invalid, so stop processing this (sub)command
                positional_number=-2
            fi
            break
        fi
    done

    unparsed_words=("${unparsed_words[@]}")

    if\
        ! "${was_flag_option_terminator_seen}"\
        && ! "${is_parsing_option_value}"\
        && [[ ("${cur}" = -* && "${positional_number}" -ge 0) || "${positional_number}" -eq -1 ]]
    then
        COMPREPLY+=($(compgen -W "${repeating_flags[*]} ${non_repeating_flags[*]} ${repeating_options[*]} ${non_repeating_options[*]}" -- "${cur}"))
    fi
}

__obdscan_add_completions() {
    local completion
    while IFS='' read -r completion; do
        COMPREPLY+=("${completion}")
    done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
}

__obdscan_custom_complete() {
    if [[ -n "${cur}" || -z ${COMP_WORDS[${COMP_CWORD}]} || "${COMP_LINE:${COMP_POINT}:1}" != ' ' ]]; then
        local -ar words=("${COMP_WORDS[@]}")
    else
        local -ar words=("${COMP_WORDS[@]::${COMP_CWORD}}" '' "${COMP_WORDS[@]:${COMP_CWORD}}")
    fi

    "${COMP_WORDS[0]}" "${@}" "${words[@]}"
}

_obdscan() {
    local state
    state="$(shopt -p;shopt -po)"
    trap "${state//$'\n'/;}" RETURN
    shopt -s extglob
    set +o history +o posix

    local -xr SAP_SHELL=bash
    local -x SAP_SHELL_VERSION
    SAP_SHELL_VERSION="$(IFS='.';printf %s "${BASH_VERSINFO[*]}")"
    local -r SAP_SHELL_VERSION

    local -r cur="${2}"
    local -r prev="${3}"

    local -i positional_number
    local -a unparsed_words=("${COMP_WORDS[@]:1:${COMP_CWORD}}")

    local -a repeating_flags=()
    local -a non_repeating_flags=(--version -h --help)
    local -a repeating_options=()
    local -a non_repeating_options=()
    __obdscan_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    devices|info|pids|read|live|dtc|freeze|monitors|log|trips|export|import|db|decode|send|simulate|bench|doctor|report|config|setup|serve|help)
        # Offer subcommand argument completions
        "_obdscan_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'devices info pids read live dtc freeze monitors log trips export import db decode send simulate bench doctor report config setup serve help' -- "${cur}"))
        ;;
    esac
}

_obdscan_devices() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __obdscan_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|show|watch)
        # Offer subcommand argument completions
        "_obdscan_devices_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list show watch' -- "${cur}"))
        ;;
    esac
}

_obdscan_devices_list() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--db --format --units --log-file)
    __obdscan_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_devices_show() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--db --format --units --log-file)
    __obdscan_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_devices_watch() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--format --units --log-file)
    __obdscan_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_info() {
    repeating_flags=()
    non_repeating_flags=(--trace-states --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=(--pids --pack)
    non_repeating_options=(-d --device --adapter --protocol --ecu --record --db --format --units --log-file)
    __obdscan_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '-d'|'--device')
        __obdscan_add_completions -f
        return
        ;;
    '--adapter')
        __obdscan_add_completions -W 'auto'$'\n''elm327'$'\n''stn'$'\n''golink'
        return
        ;;
    '--protocol')
        return
        ;;
    '--ecu')
        return
        ;;
    '--record')
        __obdscan_add_completions -f
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--pids')
        __obdscan_add_completions -f
        return
        ;;
    '--pack')
        __obdscan_add_completions -W 'byd-seal'$'\n''hyundai-ioniq-28'$'\n''hyundai-kia-ev'$'\n''nissan-leaf'$'\n''toyota-86'$'\n''vw-e-golf'
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_pids() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __obdscan_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|show|packs|count|lint)
        # Offer subcommand argument completions
        "_obdscan_pids_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list show packs count lint' -- "${cur}"))
        ;;
    esac
}

_obdscan_pids_list() {
    repeating_flags=()
    non_repeating_flags=(--supported --trace-states --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=(--pids --pack)
    non_repeating_options=(--service -d --device --adapter --protocol --ecu --record --db --format --units --log-file)
    __obdscan_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--service')
        return
        ;;
    '-d'|'--device')
        __obdscan_add_completions -f
        return
        ;;
    '--adapter')
        __obdscan_add_completions -W 'auto'$'\n''elm327'$'\n''stn'$'\n''golink'
        return
        ;;
    '--protocol')
        return
        ;;
    '--ecu')
        return
        ;;
    '--record')
        __obdscan_add_completions -f
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--pids')
        __obdscan_add_completions -f
        return
        ;;
    '--pack')
        __obdscan_add_completions -W 'byd-seal'$'\n''hyundai-ioniq-28'$'\n''hyundai-kia-ev'$'\n''nissan-leaf'$'\n''toyota-86'$'\n''vw-e-golf'
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_pids_show() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=(--pids --pack)
    non_repeating_options=(--format --units --log-file)
    __obdscan_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--pids')
        __obdscan_add_completions -f
        return
        ;;
    '--pack')
        __obdscan_add_completions -W 'byd-seal'$'\n''hyundai-ioniq-28'$'\n''hyundai-kia-ev'$'\n''nissan-leaf'$'\n''toyota-86'$'\n''vw-e-golf'
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_pids_packs() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--format --units --log-file)
    __obdscan_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_pids_count() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--format --units --log-file)
    __obdscan_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_pids_lint() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--format --units --log-file)
    __obdscan_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_read() {
    repeating_flags=()
    non_repeating_flags=(--trace-states --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=(--pids --pack)
    non_repeating_options=(-d --device --adapter --protocol --ecu --record --db --format --units --log-file)
    __obdscan_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '-d'|'--device')
        __obdscan_add_completions -f
        return
        ;;
    '--adapter')
        __obdscan_add_completions -W 'auto'$'\n''elm327'$'\n''stn'$'\n''golink'
        return
        ;;
    '--protocol')
        return
        ;;
    '--ecu')
        return
        ;;
    '--record')
        __obdscan_add_completions -f
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--pids')
        __obdscan_add_completions -f
        return
        ;;
    '--pack')
        __obdscan_add_completions -W 'byd-seal'$'\n''hyundai-ioniq-28'$'\n''hyundai-kia-ev'$'\n''nissan-leaf'$'\n''toyota-86'$'\n''vw-e-golf'
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_live() {
    repeating_flags=()
    non_repeating_flags=(--why --battery-safe --no-battery-safe --trace-states --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=(--alarm --pids --pack)
    non_repeating_options=(--view --duration --every --alarm-command -d --device --adapter --protocol --ecu --record --db --format --units --log-file)
    __obdscan_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--view')
        return
        ;;
    '--duration')
        return
        ;;
    '--every')
        return
        ;;
    '--alarm')
        return
        ;;
    '--alarm-command')
        __obdscan_add_completions -f
        return
        ;;
    '-d'|'--device')
        __obdscan_add_completions -f
        return
        ;;
    '--adapter')
        __obdscan_add_completions -W 'auto'$'\n''elm327'$'\n''stn'$'\n''golink'
        return
        ;;
    '--protocol')
        return
        ;;
    '--ecu')
        return
        ;;
    '--record')
        __obdscan_add_completions -f
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--pids')
        __obdscan_add_completions -f
        return
        ;;
    '--pack')
        __obdscan_add_completions -W 'byd-seal'$'\n''hyundai-ioniq-28'$'\n''hyundai-kia-ev'$'\n''nissan-leaf'$'\n''toyota-86'$'\n''vw-e-golf'
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_dtc() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __obdscan_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|clear|explain|history|report)
        # Offer subcommand argument completions
        "_obdscan_dtc_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list clear explain history report' -- "${cur}"))
        ;;
    esac
}

_obdscan_dtc_list() {
    repeating_flags=()
    non_repeating_flags=(--all-modules --exit-code --trace-states --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=(--pids --pack)
    non_repeating_options=(--batch --to -d --device --adapter --protocol --ecu --record --db --format --units --log-file)
    __obdscan_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--batch')
        __obdscan_add_completions -f
        return
        ;;
    '--to')
        __obdscan_add_completions -f
        return
        ;;
    '-d'|'--device')
        __obdscan_add_completions -f
        return
        ;;
    '--adapter')
        __obdscan_add_completions -W 'auto'$'\n''elm327'$'\n''stn'$'\n''golink'
        return
        ;;
    '--protocol')
        return
        ;;
    '--ecu')
        return
        ;;
    '--record')
        __obdscan_add_completions -f
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--pids')
        __obdscan_add_completions -f
        return
        ;;
    '--pack')
        __obdscan_add_completions -W 'byd-seal'$'\n''hyundai-ioniq-28'$'\n''hyundai-kia-ev'$'\n''nissan-leaf'$'\n''toyota-86'$'\n''vw-e-golf'
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_dtc_clear() {
    repeating_flags=()
    non_repeating_flags=(--yes --force --trace-states --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=(--pids --pack)
    non_repeating_options=(-d --device --adapter --protocol --ecu --record --db --format --units --log-file)
    __obdscan_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '-d'|'--device')
        __obdscan_add_completions -f
        return
        ;;
    '--adapter')
        __obdscan_add_completions -W 'auto'$'\n''elm327'$'\n''stn'$'\n''golink'
        return
        ;;
    '--protocol')
        return
        ;;
    '--ecu')
        return
        ;;
    '--record')
        __obdscan_add_completions -f
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--pids')
        __obdscan_add_completions -f
        return
        ;;
    '--pack')
        __obdscan_add_completions -W 'byd-seal'$'\n''hyundai-ioniq-28'$'\n''hyundai-kia-ev'$'\n''nissan-leaf'$'\n''toyota-86'$'\n''vw-e-golf'
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_dtc_explain() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--format --units --log-file)
    __obdscan_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_dtc_history() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--vehicle --db --format --units --log-file)
    __obdscan_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--vehicle')
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_dtc_report() {
    repeating_flags=()
    non_repeating_flags=(--trace-states --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=(--pids --pack)
    non_repeating_options=(--to --since --until --of -d --device --adapter --protocol --ecu --record --db --format --units --log-file)
    __obdscan_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--to')
        __obdscan_add_completions -f
        return
        ;;
    '--since')
        return
        ;;
    '--until')
        return
        ;;
    '--of')
        return
        ;;
    '-d'|'--device')
        __obdscan_add_completions -f
        return
        ;;
    '--adapter')
        __obdscan_add_completions -W 'auto'$'\n''elm327'$'\n''stn'$'\n''golink'
        return
        ;;
    '--protocol')
        return
        ;;
    '--ecu')
        return
        ;;
    '--record')
        __obdscan_add_completions -f
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--pids')
        __obdscan_add_completions -f
        return
        ;;
    '--pack')
        __obdscan_add_completions -W 'byd-seal'$'\n''hyundai-ioniq-28'$'\n''hyundai-kia-ev'$'\n''nissan-leaf'$'\n''toyota-86'$'\n''vw-e-golf'
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_freeze() {
    repeating_flags=()
    non_repeating_flags=(--trace-states --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=(--pids --pack)
    non_repeating_options=(--frame -d --device --adapter --protocol --ecu --record --db --format --units --log-file)
    __obdscan_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--frame')
        return
        ;;
    '-d'|'--device')
        __obdscan_add_completions -f
        return
        ;;
    '--adapter')
        __obdscan_add_completions -W 'auto'$'\n''elm327'$'\n''stn'$'\n''golink'
        return
        ;;
    '--protocol')
        return
        ;;
    '--ecu')
        return
        ;;
    '--record')
        __obdscan_add_completions -f
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--pids')
        __obdscan_add_completions -f
        return
        ;;
    '--pack')
        __obdscan_add_completions -W 'byd-seal'$'\n''hyundai-ioniq-28'$'\n''hyundai-kia-ev'$'\n''nissan-leaf'$'\n''toyota-86'$'\n''vw-e-golf'
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_monitors() {
    repeating_flags=()
    non_repeating_flags=(--readiness --trend --exit-code --trace-states --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=(--pids --pack)
    non_repeating_options=(-d --device --adapter --protocol --ecu --record --db --format --units --log-file)
    __obdscan_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '-d'|'--device')
        __obdscan_add_completions -f
        return
        ;;
    '--adapter')
        __obdscan_add_completions -W 'auto'$'\n''elm327'$'\n''stn'$'\n''golink'
        return
        ;;
    '--protocol')
        return
        ;;
    '--ecu')
        return
        ;;
    '--record')
        __obdscan_add_completions -f
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--pids')
        __obdscan_add_completions -f
        return
        ;;
    '--pack')
        __obdscan_add_completions -W 'byd-seal'$'\n''hyundai-ioniq-28'$'\n''hyundai-kia-ev'$'\n''nissan-leaf'$'\n''toyota-86'$'\n''vw-e-golf'
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_log() {
    repeating_flags=()
    non_repeating_flags=(--why --battery-safe --no-battery-safe --until-off --fast --trace-states --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=(--tag -d --device --alarm --pids --pack)
    non_repeating_options=(--duration --every --silence --standstill --name --keep --commit-every --gps --alarm-command --adapter --protocol --ecu --record --db --format --units --log-file)
    __obdscan_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--duration')
        return
        ;;
    '--every')
        return
        ;;
    '--silence')
        return
        ;;
    '--standstill')
        return
        ;;
    '--tag')
        return
        ;;
    '--name')
        return
        ;;
    '--keep')
        return
        ;;
    '--commit-every')
        return
        ;;
    '--gps')
        return
        ;;
    '-d'|'--device')
        __obdscan_add_completions -f
        return
        ;;
    '--alarm')
        return
        ;;
    '--alarm-command')
        __obdscan_add_completions -f
        return
        ;;
    '--adapter')
        __obdscan_add_completions -W 'auto'$'\n''elm327'$'\n''stn'$'\n''golink'
        return
        ;;
    '--protocol')
        return
        ;;
    '--ecu')
        return
        ;;
    '--record')
        __obdscan_add_completions -f
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--pids')
        __obdscan_add_completions -f
        return
        ;;
    '--pack')
        __obdscan_add_completions -W 'byd-seal'$'\n''hyundai-ioniq-28'$'\n''hyundai-kia-ev'$'\n''nissan-leaf'$'\n''toyota-86'$'\n''vw-e-golf'
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_trips() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __obdscan_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|show|report|fuel|compare|name|tag|note|split|join|delete|undo)
        # Offer subcommand argument completions
        "_obdscan_trips_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list show report fuel compare name tag note split join delete undo' -- "${cur}"))
        ;;
    esac
}

_obdscan_trips_list() {
    repeating_flags=()
    non_repeating_flags=(--all --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--latest --vehicle --tag --name --from --until --db --format --units --log-file)
    __obdscan_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--latest')
        return
        ;;
    '--vehicle')
        return
        ;;
    '--tag')
        return
        ;;
    '--name')
        return
        ;;
    '--from')
        return
        ;;
    '--until')
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_trips_show() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--db --format --units --log-file)
    __obdscan_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_trips_report() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=(--signal)
    non_repeating_options=(--to --db --format --units --log-file)
    __obdscan_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--to')
        __obdscan_add_completions -f
        return
        ;;
    '--signal')
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_trips_fuel() {
    repeating_flags=()
    non_repeating_flags=(--save --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--from --until --vehicle --filled --db --format --units --log-file)
    __obdscan_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--from')
        return
        ;;
    '--until')
        return
        ;;
    '--vehicle')
        return
        ;;
    '--filled')
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_trips_compare() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--db --format --units --log-file)
    __obdscan_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_trips_name() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--db --format --units --log-file)
    __obdscan_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_trips_tag() {
    repeating_flags=()
    non_repeating_flags=(--remove --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--db --format --units --log-file)
    __obdscan_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_trips_note() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--at --db --format --units --log-file)
    __obdscan_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--at')
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_trips_split() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--at --gap --standstill --db --format --units --log-file)
    __obdscan_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--at')
        return
        ;;
    '--gap')
        return
        ;;
    '--standstill')
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_trips_join() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--db --format --units --log-file)
    __obdscan_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_trips_delete() {
    repeating_flags=()
    non_repeating_flags=(--purge --yes --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--db --format --units --log-file)
    __obdscan_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_trips_undo() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--db --format --units --log-file)
    __obdscan_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_export() {
    repeating_flags=()
    non_repeating_flags=(--all --relative --quiet -q --version -h --help)
    repeating_options=(--signal)
    non_repeating_options=(--tag --to --layout --every --fill --ecu --from --until --db --format --units --log-file)
    __obdscan_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--tag')
        return
        ;;
    '--to')
        __obdscan_add_completions -f
        return
        ;;
    '--layout')
        __obdscan_add_completions -W 'wide'$'\n''long'
        return
        ;;
    '--every')
        return
        ;;
    '--fill')
        __obdscan_add_completions -W 'last'$'\n''linear'$'\n''none'
        return
        ;;
    '--signal')
        return
        ;;
    '--ecu')
        return
        ;;
    '--from')
        return
        ;;
    '--until')
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'csv'$'\n''json'$'\n''gpx'$'\n''kml'$'\n''influx'$'\n''sqlite'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_import() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=(--pids --pack)
    non_repeating_options=(--name --db --format --units --log-file)
    __obdscan_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--name')
        return
        ;;
    '--pids')
        __obdscan_add_completions -f
        return
        ;;
    '--pack')
        __obdscan_add_completions -W 'byd-seal'$'\n''hyundai-ioniq-28'$'\n''hyundai-kia-ev'$'\n''nissan-leaf'$'\n''toyota-86'$'\n''vw-e-golf'
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_db() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __obdscan_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    check|recover|compact|merge|redecode)
        # Offer subcommand argument completions
        "_obdscan_db_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'check recover compact merge redecode' -- "${cur}"))
        ;;
    esac
}

_obdscan_db_check() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--db --format --units --log-file)
    __obdscan_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_db_recover() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--to --db --format --units --log-file)
    __obdscan_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--to')
        __obdscan_add_completions -f
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_db_compact() {
    repeating_flags=()
    non_repeating_flags=(--yes --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--keep --db --format --units --log-file)
    __obdscan_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--keep')
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_db_merge() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--db --format --units --log-file)
    __obdscan_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_db_redecode() {
    repeating_flags=()
    non_repeating_flags=(--dry-run --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=(--pids --pack)
    non_repeating_options=(--db --format --units --log-file)
    __obdscan_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--pids')
        __obdscan_add_completions -f
        return
        ;;
    '--pack')
        __obdscan_add_completions -W 'byd-seal'$'\n''hyundai-ioniq-28'$'\n''hyundai-kia-ev'$'\n''nissan-leaf'$'\n''toyota-86'$'\n''vw-e-golf'
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_decode() {
    repeating_flags=()
    non_repeating_flags=(--messages --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=(--table --pids --pack)
    non_repeating_options=(--request --protocol --format --units --log-file)
    __obdscan_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--request')
        return
        ;;
    '--protocol')
        return
        ;;
    '--table')
        __obdscan_add_completions -f
        return
        ;;
    '--pids')
        __obdscan_add_completions -f
        return
        ;;
    '--pack')
        __obdscan_add_completions -W 'byd-seal'$'\n''hyundai-ioniq-28'$'\n''hyundai-kia-ev'$'\n''nissan-leaf'$'\n''toyota-86'$'\n''vw-e-golf'
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_send() {
    repeating_flags=()
    non_repeating_flags=(--yes --force --accessory-demo --trace-states --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=(--pids --pack)
    non_repeating_options=(--duration -d --device --adapter --protocol --ecu --record --db --format --units --log-file)
    __obdscan_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--duration')
        return
        ;;
    '-d'|'--device')
        __obdscan_add_completions -f
        return
        ;;
    '--adapter')
        __obdscan_add_completions -W 'auto'$'\n''elm327'$'\n''stn'$'\n''golink'
        return
        ;;
    '--protocol')
        return
        ;;
    '--ecu')
        return
        ;;
    '--record')
        __obdscan_add_completions -f
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--pids')
        __obdscan_add_completions -f
        return
        ;;
    '--pack')
        __obdscan_add_completions -W 'byd-seal'$'\n''hyundai-ioniq-28'$'\n''hyundai-kia-ev'$'\n''nissan-leaf'$'\n''toyota-86'$'\n''vw-e-golf'
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_simulate() {
    repeating_flags=()
    non_repeating_flags=(--pty --lint --show --list --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--link --tcp --rfcomm --latency --baud --personality --requests --vehicle --faults --seed --format --units --log-file)
    __obdscan_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--link')
        __obdscan_add_completions -f
        return
        ;;
    '--tcp')
        return
        ;;
    '--rfcomm')
        return
        ;;
    '--latency')
        return
        ;;
    '--baud')
        return
        ;;
    '--personality')
        return
        ;;
    '--requests')
        __obdscan_add_completions -f
        return
        ;;
    '--vehicle')
        __obdscan_add_completions -o plusdirs -fX '!*.@(vehicle)'
        return
        ;;
    '--faults')
        return
        ;;
    '--seed')
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_bench() {
    repeating_flags=()
    non_repeating_flags=(--trace-states --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=(--pids --pack)
    non_repeating_options=(--requests --duration -d --device --adapter --protocol --ecu --record --db --format --units --log-file)
    __obdscan_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--requests')
        return
        ;;
    '--duration')
        return
        ;;
    '-d'|'--device')
        __obdscan_add_completions -f
        return
        ;;
    '--adapter')
        __obdscan_add_completions -W 'auto'$'\n''elm327'$'\n''stn'$'\n''golink'
        return
        ;;
    '--protocol')
        return
        ;;
    '--ecu')
        return
        ;;
    '--record')
        __obdscan_add_completions -f
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--pids')
        __obdscan_add_completions -f
        return
        ;;
    '--pack')
        __obdscan_add_completions -W 'byd-seal'$'\n''hyundai-ioniq-28'$'\n''hyundai-kia-ev'$'\n''nissan-leaf'$'\n''toyota-86'$'\n''vw-e-golf'
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_doctor() {
    repeating_flags=()
    non_repeating_flags=(--adapter --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=(--pids --pack)
    non_repeating_options=(-d --device --protocol --record --db --format --units --log-file)
    __obdscan_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '-d'|'--device')
        __obdscan_add_completions -f
        return
        ;;
    '--protocol')
        return
        ;;
    '--record')
        __obdscan_add_completions -f
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--pids')
        __obdscan_add_completions -f
        return
        ;;
    '--pack')
        __obdscan_add_completions -W 'byd-seal'$'\n''hyundai-ioniq-28'$'\n''hyundai-kia-ev'$'\n''nissan-leaf'$'\n''toyota-86'$'\n''vw-e-golf'
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_report() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=(--pids --pack)
    non_repeating_options=(--to -d --device --protocol --db --format --units --log-file)
    __obdscan_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--to')
        __obdscan_add_completions -f
        return
        ;;
    '-d'|'--device')
        __obdscan_add_completions -f
        return
        ;;
    '--protocol')
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--pids')
        __obdscan_add_completions -f
        return
        ;;
    '--pack')
        __obdscan_add_completions -W 'byd-seal'$'\n''hyundai-ioniq-28'$'\n''hyundai-kia-ev'$'\n''nissan-leaf'$'\n''toyota-86'$'\n''vw-e-golf'
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_config() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __obdscan_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|get|set|unset|edit|check)
        # Offer subcommand argument completions
        "_obdscan_config_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list get set unset edit check' -- "${cur}"))
        ;;
    esac
}

_obdscan_config_list() {
    repeating_flags=()
    non_repeating_flags=(--no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--format --units --log-file)
    __obdscan_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_config_get() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __obdscan_offer_flags_options 1
}

_obdscan_config_set() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __obdscan_offer_flags_options -1
}

_obdscan_config_unset() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __obdscan_offer_flags_options 1
}

_obdscan_config_edit() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __obdscan_offer_flags_options 0
}

_obdscan_config_check() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __obdscan_offer_flags_options 0
}

_obdscan_setup() {
    repeating_flags=()
    non_repeating_flags=(--log-when-plugged --no-log-when-plugged --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=(--pids --pack)
    non_repeating_options=(-d --device --name --db --format --units --log-file)
    __obdscan_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '-d'|'--device')
        __obdscan_add_completions -f
        return
        ;;
    '--name')
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--pids')
        __obdscan_add_completions -f
        return
        ;;
    '--pack')
        __obdscan_add_completions -W 'byd-seal'$'\n''hyundai-ioniq-28'$'\n''hyundai-kia-ev'$'\n''nissan-leaf'$'\n''toyota-86'$'\n''vw-e-golf'
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_serve() {
    repeating_flags=()
    non_repeating_flags=(--offline --battery-safe --no-battery-safe --trace-states --no-color --quiet -q --verbose -v --version -h --help)
    repeating_options=(--host --pids --pack)
    non_repeating_options=(--view --every --listen --token -d --device --adapter --protocol --ecu --record --db --format --units --log-file)
    __obdscan_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--view')
        return
        ;;
    '--every')
        return
        ;;
    '--listen')
        return
        ;;
    '--token')
        return
        ;;
    '--host')
        return
        ;;
    '-d'|'--device')
        __obdscan_add_completions -f
        return
        ;;
    '--adapter')
        __obdscan_add_completions -W 'auto'$'\n''elm327'$'\n''stn'$'\n''golink'
        return
        ;;
    '--protocol')
        return
        ;;
    '--ecu')
        return
        ;;
    '--record')
        __obdscan_add_completions -f
        return
        ;;
    '--db')
        __obdscan_add_completions -f
        return
        ;;
    '--pids')
        __obdscan_add_completions -f
        return
        ;;
    '--pack')
        __obdscan_add_completions -W 'byd-seal'$'\n''hyundai-ioniq-28'$'\n''hyundai-kia-ev'$'\n''nissan-leaf'$'\n''toyota-86'$'\n''vw-e-golf'
        return
        ;;
    '--format')
        __obdscan_add_completions -W 'text'$'\n''json'$'\n''csv'
        return
        ;;
    '--units')
        __obdscan_add_completions -W 'metric'$'\n''imperial'$'\n''us'
        return
        ;;
    '--log-file')
        __obdscan_add_completions -f
        return
        ;;
    esac
}

_obdscan_help() {
    repeating_flags=()
    non_repeating_flags=(--version)
    repeating_options=()
    non_repeating_options=()
    __obdscan_offer_flags_options -1
}

complete -o filenames -F _obdscan obdscan
