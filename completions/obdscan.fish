# fish completion of obdscan: the program itself says what can be typed.

function __obdscan_complete
    set -l words (commandline -opc)
    set -l typed (string unescape -- (commandline -ct); or commandline -ct)
    for line in (command $words[1] ---complete $words[2..-1] "$typed" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$typed"
        else
            printf '%s\n' $line
        end
    end
end

complete -c obdscan -f -k -a '(__obdscan_complete)'
