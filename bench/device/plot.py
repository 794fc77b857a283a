"""Plots what `cargo xtask device-bench` measured: plot.py RESULTS.json OUTPUT.svg."""

import json
import sys

import matplotlib.pyplot as plt

PANELS = [(f"2D {kind.upper()}, {real}", kind, real) for real in ("f32", "f64") for kind in ("dct2", "dct3")]


def lines(entries, kind, real):
    """For each contestant the sizes of squares, and its times over that of a copy in the same process."""
    found = {}
    for entry in entries:
        words = entry["problem"].split()
        shape = words[2].split("x")
        if words[:2] == [kind, real] and len(shape) == 2 and shape[0] == shape[1]:
            xs, ys = found.setdefault(entry["name"], ([], []))
            xs.append(int(shape[0]))
            ys.append(entry["stream"] / entry["copy_stream"])
    return found


results, output = sys.argv[1:]
entries = [entry for group in json.load(open(results)) if group["name"] == "2d" for entry in group["entries"]]
plt.rcParams.update({"font.size": 8, "svg.fonttype": "none", "svg.hashsalt": "fourfold"})
figure, grid = plt.subplots(2, 2, figsize=(10, 7.2), layout="constrained")
for axes, (title, kind, real) in zip(grid.flat, PANELS):
    for name, (xs, ys) in lines(entries, kind, real).items():
        style = {"color": "black", "linewidth": 2.5} if name == "fourfold" else {"linewidth": 1}
        axes.plot(xs, ys, marker=".", label=name, **style)
    axes.axhline(2, color="grey", linestyle=":", label="two perfect passes")
    axes.set(title=title, yscale="log", xlabel="length of an axis", ylabel="time / time of a copy")
    axes.set_xscale("log", base=2)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=6)
figure.savefig(output, metadata={"Date": None})
