"""The rows that a script prints: what was right, what differs, and what was left out."""

import contextlib

from packages import Unavailable


class Results:
    def __init__(self):
        self.passed = self.failed = 0
        self.skipped = []

    def row(self, what: str, problem: str | None = None, note: str = "") -> None:
        """A row, and what is wrong with it."""
        self.passed, self.failed = self.passed + (not problem), self.failed + bool(problem)
        said = problem or note
        print(f"{'DIFF' if problem else 'ok':8}{what}{f': {said}' if said else ''}", flush=True)

    def rows(self, what: str, count: int, differences: list[str]) -> None:
        """A row for several cases, and a line for each difference."""
        self.passed, self.failed = self.passed + max(0, count - len(differences)), self.failed + len(differences)
        print(f"{f'DIFF {len(differences)}' if differences else 'ok':8}{what}")
        print("".join(f"  {line}\n" for line in differences), end="", flush=True)

    def skip(self, name: str, reason: object, is_shown: bool = True) -> None:
        self.skipped.append(name)
        if is_shown:
            print(f"SKIPPED {name}: {reason}", flush=True)

    @contextlib.contextmanager
    def part(self, name: str, is_shown: bool = True):
        """Around what needs something that may be unavailable: then it is skipped."""
        try:
            yield
        except Unavailable as error:
            self.skip(name, error, is_shown)

    def end(self) -> bool:
        """Prints the sums; returns whether something differs."""
        if self.skipped:
            print(f"skipped: {', '.join(self.skipped)}")
        print(f"\n{self.passed} passed, {self.failed} failed")
        return self.failed > 0
