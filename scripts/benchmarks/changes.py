"""What changed between two results of scripts/bench, beyond their noise."""

import statistics

LEAST = 0.03  # of a ratio; less isn't worth a line


def ratios(row, key):
    """The ratios of a row's pairs; empty if it has none."""
    peer, reference = row.get("peer"), row.get("reference")
    if not isinstance(peer, list) or not isinstance(reference, list):
        return []
    if not all(isinstance(run.get(key), (int, float)) for run in peer + reference):
        return []
    return [a[key] / max(b[key], 1e-6) for a, b in zip(peer, reference)]


def figures(row):
    """A row's figures by name, each with the values that were measured."""
    found = {f"× {key}": ratios(row, key) for key in ("wall", "cpu")}
    if not found["× cpu"] and isinstance(row.get("cpu_ratio"), (int, float)):
        found["× cpu"] = [row["cpu_ratio"]]
    for name in ("instructions", "exponent", "memory", "cpu_microseconds_more"):
        if isinstance(row.get(name), (int, float)):
            found[name] = [row[name]]
    if isinstance(row.get("peer"), list):
        found["peak MiB"] = [run["peak_mib"] for run in row["peer"] if run.get("peak_mib")]
    return {name: values for name, values in found.items() if values}


def spread(values):
    """The values' quarter and three quarters: a single run that was disturbed doesn't widen it."""
    if len(values) < 4:
        return min(values), max(values)
    quarters = statistics.quantiles(values, n=4)
    return quarters[0], quarters[2]


def changes(old, new):
    """Lines for the figures whose spreads don't touch and whose medians differ by more than LEAST."""
    for section, rows in new.items():
        before = {(row["case"], row["compared_with"].split(" ")[0]): row for row in old["sections"].get(section, [])}
        for row in rows:
            known = before.pop((row["case"], row["compared_with"].split(" ")[0]), None)
            if known is None:
                yield f"{section}: {row['case']}: new"
                continue
            known, found = figures(known), figures(row)
            for name in found.keys() & known.keys():
                (low, high), (old_low, old_high) = spread(found[name]), spread(known[name])
                now, then = statistics.median(found[name]), statistics.median(known[name])
                if (low > old_high or high < old_low) and abs(now - then) > LEAST * abs(then):
                    word = "more" if now > then else "less"
                    yield f"{section}: {row['case']}: {name} {then:,.2f}, now {now:,.2f}: {word}"
        for case, _ in before:
            yield f"{section}: {case}: gone"


def text(old, quick, new):
    """What changed since the old results, a line each."""
    lines = sorted(changes(old, new))
    if old["quick"] != quick:
        lines.insert(0, "The old results are of another size (--quick): figures that depend on it differ.")
    return "\n".join([f"Since {old['circumstances']}:", *(lines or ["nothing changed beyond noise"])])
