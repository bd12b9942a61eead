import ObdscanCLI

@main
struct Obdscan {
    static func main() {
        ObdscanCommand.runAndExit()
    }
}
