#!/usr/bin/env python3
"""Greets."""
import sys


def greet(name="world"):
    return f"Hello, {name}"


if __name__ == "__main__":
    print(greet(*sys.argv[1:2]))
