"""Reads `swift package dump-package`: a trait must turn on everything that its modules need."""

import json
import sys

package = json.load(sys.stdin)
enabled = {trait["name"]: trait["enabledTraits"] for trait in package["traits"]}


def closure(trait):
    return {trait}.union(*map(closure, enabled[trait])) if trait else set()


def condition(dependency):
    """The traits that turn a dependency on."""
    return set(((next(iter(dependency.values())) or [None])[-1] or {}).get("traits", []))


targets = [target for target in package["targets"] if target["type"] != "test"]
needed = {
    target["name"]: set().union(*(condition(each) for each in target["dependencies"] if "product" in each))
    for target in targets
}
complaints = []
for target in targets:
    always = [each["byName"][0] for each in target["dependencies"] if "byName" in each and not condition(each)]
    for trait in needed[target["name"]] or {None}:
        for name in always:
            for missing in needed.get(name, set()) - closure(trait):
                complaints.append(f"{target['name']} needs {name}, which needs {missing}; {trait or 'none'} lacks it")
print("\n".join(complaints))
sys.exit(bool(complaints))
