"""Runs lauka and reads its results: lauka.run(["./base", "./head"]), lauka.load("result.json"). Benchmarks in Python
that `lauka suite` compares: lauka.bench."""
from .results import (Benchmark, Command, Comparison, Error, Metric, Result, load, loads, run)

__all__ = ["Benchmark", "Command", "Comparison", "Error", "Metric", "Result", "load", "loads", "run"]
