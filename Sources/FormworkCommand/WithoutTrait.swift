#if !Command
/// Replaces the command in a build without the trait Command.
@main
struct WithoutTrait {
    static func main() { print("formwork was built without its command: build it with swift build --traits Command") }
}
#endif
