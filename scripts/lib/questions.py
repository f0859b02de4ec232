"""Other programs that answer questions, a line of JSON each, and the expected differences between answers."""

import collections
import json
import os
import subprocess
import sys
from pathlib import Path


def ask(command: list, questions: list, **environment: str) -> list:
    """A program's answers; it runs once."""
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    result = subprocess.run(command, input=lines.encode(), stdout=subprocess.PIPE, timeout=900, env={**os.environ, **environment})
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    if result.returncode or len(answers) != len(questions):
        print(f"{command[0]} ended with {result.returncode} after {len(answers)} of {len(questions)} answers", file=sys.stderr)
        if len(answers) < len(questions):
            print("it was asked:", json.dumps(questions[len(answers)]), file=sys.stderr)
        raise SystemExit(2)
    return answers


def built_by_go(source: Path, folder: Path, go: str = "go") -> Path:
    environment = {**os.environ, "GO111MODULE": "off", "GOCACHE": str(folder / "go")}
    subprocess.run([go, "build", "-o", folder / "peer-go", source], env=environment, check=True)
    return folder / "peer-go"


def table(file: Path) -> dict[str, str]:
    """The lines of a file by their first column; the others are separated by tabs, too."""
    rows = (line.partition("\t") for line in file.read_text().splitlines() if line and not line.startswith("#"))
    return {first: rest for first, _, rest in rows}


class Rules:
    """The expected differences in a file: name, and reason. Counts how often each applied."""

    def __init__(self, file: Path):
        self.reasons, self.applied = table(file), collections.Counter()

    def __call__(self, name: str, condition=True):
        """Whether a rule applies; counts it."""
        assert name in self.reasons, name
        self.applied[name] += bool(condition)
        return condition

    def show(self) -> None:
        for name, count in self.applied.items():
            if count:
                print(f"  {name}: {self.reasons[name]} ({count} times)")
