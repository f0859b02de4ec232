"""The command line of a script whose rows have names."""

import argparse


def parsed(doc: str, names: list[str], quick: str = "", choices: dict[str, list[str]] = {}, **numbers: str) -> argparse.Namespace:
    """What is wanted: `names`, all if none is given (`is_whole`), `quick`, choices whose first is the default, and numbers by
    their help."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    if quick:
        parser.add_argument("--quick", action="store_true", help=quick)
    for name, values in choices.items():
        parser.add_argument(f"--{name}", choices=values, default=values[0])
    for name, text in numbers.items():
        parser.add_argument(f"--{name}", type=int, metavar="N", help=text)
    parser.add_argument("names", nargs="*", metavar="NAME", help="these only: " + " ".join(names))
    options = parser.parse_args()
    if unknown := set(options.names) - set(names):
        parser.error(f"no {', '.join(sorted(unknown))}")
    options.is_whole = not options.names
    options.names = [name for name in names if options.is_whole or name in options.names]
    return options
