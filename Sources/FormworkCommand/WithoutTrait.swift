#if !Command
/// What a build without the trait Command has in place of the command.
@main
struct WithoutTrait {
    static func main() { print("formwork was built without its command: swift build --traits Command") }
}
#endif
