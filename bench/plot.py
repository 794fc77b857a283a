"""Plots what `cargo xtask bench-cpu` measured: plot.py RESULTS.json OUTPUT.svg."""

import json
import sys

import matplotlib.pyplot as plt

SHOWN = ("2D DCT-II", "One signal, DCT-II", "One signal, FFT", "One signal, RFFT")


def multiples(problems):
    """For each contestant its sizes and its times over that of a copy in the same process."""
    lines = {}
    for problem in problems:
        shape = problem["problem"].split()[2].split("x")
        times = {entry["name"]: entry["ms"] for entry in problem["entries"]}
        if len(set(shape)) > 1:
            continue
        for entry in problem["entries"]:
            if entry["copy"] in times and not entry["name"].startswith("memcpy"):
                xs, ys = lines.setdefault(entry["name"], ([], []))
                xs.append(int(shape[0]))
                ys.append(entry["ms"] / times[entry["copy"]])
    return lines


def draw(axes, title, problems):
    for name, (xs, ys) in multiples(problems).items():
        ours = name.startswith("fourfold")
        style = {"color": "black", "linewidth": 2.5} if ours else {"linewidth": 1}
        axes.plot(xs, ys, marker=".", label=name, **style)
    axes.set(title=title, xscale="log", yscale="log", xlabel="length of an axis", ylabel="time / time of a copy")
    axes.set_xscale("log", base=2)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=6)


results, output = sys.argv[1:]
panels = []
for group in json.load(open(results)):
    for real in ("f64", "f32"):
        problems = [p for p in group["problems"] if p["problem"].split()[1] == real]
        if group["title"] in SHOWN and problems:
            panels.append((f"{group['title']}, {real}", problems))
plt.rcParams.update({"font.size": 8, "svg.fonttype": "none", "svg.hashsalt": "fourfold"})
rows = (len(panels) + 1) // 2
figure, grid = plt.subplots(rows, 2, figsize=(10, 3.6 * rows), layout="constrained", squeeze=False)
for axes, panel in zip(grid.flat, panels):
    draw(axes, *panel)
for axes in grid.flat[len(panels) :]:
    axes.axis("off")
figure.savefig(output, metadata={"Date": None})
