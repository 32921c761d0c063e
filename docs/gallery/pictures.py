"""Runs the programs of the gallery, and draws what they find: docs/build.sh has it done before each build of the site.

python docs/gallery/pictures.py FOLDER           # NAME.txt, what examples/NAME.py prints, and NAME.png, of its variables
python docs/gallery/pictures.py --blank FOLDER   # the same files where the package is not built: they say so
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib.util
import io
import multiprocessing
import os
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  # after the line above
import numpy  # noqa: E402  # as above
from matplotlib.figure import Figure  # noqa: E402  # as above
from PIL import Image, ImageOps  # noqa: E402  # as above

ROOT = Path(__file__).resolve().parents[2]
STYLE: Any = {
    "figure.figsize": (8.0, 4.5),
    "figure.dpi": 110,
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "legend.frameon": False,
    "savefig.facecolor": "white",
}
BLUE, ORANGE, GREEN, GREY = "#1f6fb4", "#e07b22", "#3a9a5b", "#8a8f98"
Names = dict[str, Any]  # a program's variables
Drawing = Callable[[Names, Figure], None]
DRAWINGS: dict[str, Drawing] = {}


def of(name: str) -> Callable[[Drawing], Drawing]:
    """Says of which program a function draws the picture."""

    def noted(drawing: Drawing) -> Drawing:
        DRAWINGS[name] = drawing
        return drawing

    return noted


def bare(axes: Any, title: str = "") -> None:
    """An image's axes: nothing but a title."""
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_title(title)
    for spine in axes.spines.values():
        spine.set_visible(False)


@of("heat")
def heat(names: Names, figure: Figure) -> None:
    figure.set_size_inches(8, 3.4)
    plates = {"At first": names["heated"]()[0], f"After {names['steps']} steps": names["still"]}
    for axes, (title, plate) in zip(figure.subplots(1, 2), plates.items(), strict=True):
        image = axes.imshow(numpy.asarray(plate), cmap="inferno", vmin=0, vmax=100)
        bare(axes, title)
    figure.colorbar(image, ax=figure.axes, shrink=0.6, label="degrees")


@of("waves")
def waves(names: Names, figure: Figure) -> None:
    figure.set_size_inches(8, 3)
    left, right = figure.subplots(1, 2)
    height = numpy.asarray(names["now"])
    screen = numpy.where(names["open_"] == 0, 1.0, numpy.nan)
    limit = float(numpy.abs(height[:, 100:]).max())
    left.imshow(height, cmap="RdBu", vmin=-limit, vmax=limit)
    left.imshow(screen, cmap="gray", vmin=0, vmax=2)
    bare(left, "Height of the water")
    right.imshow(numpy.sqrt(names["intensity"]), cmap="magma", vmax=float(numpy.sqrt(names["intensity"][:, 100:].max())))
    right.imshow(screen, cmap="gray", vmin=0, vmax=2)
    right.axvline(300, color="white", linewidth=0.8, linestyle=":")
    right.scatter([300] * len(names["peaks"]), names["peaks"], s=18, color="white")
    bare(right, "Its deviation, and bright bands")


@of("galaxies")
def galaxies(names: Names, figure: Figure) -> None:
    for axes, x, number in zip(figure.subplots(2, 2).flat, names["snapshots"], range(4), strict=True):
        axes.set_facecolor("#0b0f1a")
        axes.scatter(x[2:1202, 0], x[2:1202, 1], s=0.8, color="#7db7ff", linewidths=0)
        axes.scatter(x[1202:, 0], x[1202:, 1], s=0.8, color="#ffc27d", linewidths=0)
        axes.scatter(x[:2, 0], x[:2, 1], s=12, color="white", linewidths=0)
        axes.set_xlim(-12, 12)
        axes.set_ylim(-6, 6)
        axes.set_aspect("equal")
        bare(axes, f"after {1000 * number:,} steps")


@of("game_of_life")
def game_of_life(names: Names, figure: Figure) -> None:
    parts = figure.subplot_mosaic([["early", "right"], ["late", "right"]], width_ratios=[1, 1.6])
    right = parts["right"]
    for which, cells, title in (("early", names["live"](names["start"], 300)[0], "generation 300"), ("late", names["cells"], "generation 1,103")):
        parts[which].imshow(numpy.asarray(cells)[222:322, 192:342], cmap="Greys", interpolation="nearest")
        parts[which].set(xticks=[], yticks=[], title=title)
        parts[which].spines[["top", "right"]].set_visible(True)
    right.plot(numpy.arange(1, len(names["population"]) + 1), names["population"], color=BLUE, linewidth=0.9)
    right.set_xlabel("generation")
    right.set_title("Cells")
    right.axhline(116, color=ORANGE, linewidth=0.9, linestyle="--")
    right.text(480, 92, "116 in the end", color=ORANGE)


@of("kmeans")
def kmeans(names: Names, figure: Figure) -> None:
    points, centres = names["points"], names["got"]
    axes: Any = figure.subplots()
    labels = numpy.asarray(names["step"](points, centres)[1])
    axes.scatter(*points[::8].T, c=labels[::8], s=3, cmap="tab20", linewidths=0)
    axes.scatter(*centres.T, s=60, marker="+", color="black", linewidths=1.2, label="centres that were found")
    axes.set_title("Every eighth point, by the nearest centre")
    axes.legend(loc="upper left")
    axes.set_aspect("equal")


@of("logistic_regression")
def logistic_regression(names: Names, figure: Figure) -> None:
    left, right = figure.subplots(1, 2, width_ratios=[1.3, 1])
    points, sign, w = numpy.asarray(names["points"]), names["sign"], numpy.asarray(names["weights"])
    x, y = numpy.meshgrid(numpy.linspace(-4.5, 4.5, 200), numpy.linspace(-4.5, 4.5, 200))
    chance = 1 / (1 + numpy.exp(-(w[0] + w[1] * x + w[2] * y + w[3] * x * y)))
    left.contourf(x, y, chance, levels=20, cmap="RdBu_r", alpha=0.6)
    left.contour(x, y, chance, levels=[0.5], colors="black", linewidths=1)
    for side, colour in ((1, "#a02020"), (-1, "#1f4f9a")):
        left.scatter(*points[sign == side].T, s=7, color=colour, linewidths=0)
    left.set_title("Probability of the red side")
    right.semilogy(names["lengths"], "o-", color=BLUE)
    right.set_xlabel("step of Newton's method")
    right.set_title("Length of the gradient")


@of("gaussian_process")
def gaussian_process(names: Names, figure: Figure) -> None:
    axes = figure.subplots()
    at, x = numpy.linspace(-1, 11, 400), names["x"]
    mean, deviation = (numpy.asarray(each) for each in names["predict"](names["parameters"], x, names["y"], at))
    axes.fill_between(at, mean - 2 * deviation, mean + 2 * deviation, color=BLUE, alpha=0.2, linewidth=0, label="two deviations")
    axes.plot(at, mean, color=BLUE, label="mean")
    axes.plot(at, numpy.sin(at), color=ORANGE, linestyle="--", linewidth=1, label="what was measured, without noise")
    axes.scatter(x, names["y"], s=14, color="black", zorder=3, label="measurements")
    axes.legend(loc="lower left", ncols=2)
    axes.set_title(f"The likeliest process: noise of {names['noise']:.3f}")


@of("digits")
def digits(names: Names, figure: Figure) -> None:
    halves: Any = figure.subfigures(1, 2, width_ratios=[1.25, 1])
    left, right = halves
    found = numpy.asarray(numpy.argmax(names["scores"](names["parameters"], names["unseen"]), axis=1))
    true = names["unseen_labels"]
    wrong = numpy.flatnonzero(found != true)[:4]
    shown = numpy.concatenate([numpy.flatnonzero(found == true)[: 20 - len(wrong)], wrong])
    for axes, which in zip(left.subplots(4, 5).flat, shown, strict=True):
        axes.imshow(names["unseen"][which].reshape(8, 8), cmap="Greys")
        bare(axes)
        axes.set_title(f"{found[which]}", fontsize=9, color="black" if found[which] == true[which] else "#c02020")
    axes = right.subplots()
    axes.plot(names["losses"], color=BLUE, linewidth=0.8)
    axes.set_yscale("log")
    axes.set_xlabel("step")
    axes.set_title("Loss")


@of("conductivity")
def conductivity(names: Names, figure: Figure) -> None:
    left, right = figure.subplots(1, 2)
    rows = names["measured"]
    for number, row in enumerate(rows):
        left.plot(row, color=plt.get_cmap("inferno")(0.1 + 0.75 * number / len(rows)), linewidth=1)
    left.set_xlabel("place")
    left.set_title("Temperatures, every tenth step")
    right.plot(names["truth"], "o-", color=ORANGE, label="true")
    right.plot(numpy.exp(names["logarithm"]), "x--", color=BLUE, label="found from the temperatures")
    right.axvspan(9.5, 15.5, color=GREY, alpha=0.15, linewidth=0)
    right.text(12.5, 0.86, "little heat\ncame here", ha="center", color=GREY)
    right.legend(loc="lower left")
    right.set_ylim(0.44, 0.93)
    right.set_xlabel("place")
    right.set_title("Conductivity")


@of("spectrogram")
def spectrogram(names: Names, figure: Figure) -> None:
    left, right = figure.subplots(1, 2, width_ratios=[1.5, 1])
    power = numpy.asarray(names["power"])
    left.imshow(10 * numpy.log10(power.T + 1e-9), origin="lower", aspect="auto", extent=(0, 4, 0, 4000), cmap="magma", vmin=5, vmax=45)
    for found in names["found"]:
        left.plot(names["middles"], found, color="#39ff88", linewidth=1)
    left.set_ylim(0, 3500)
    left.set_xlabel("seconds")
    left.set_title("Frequencies (Hz), and those that were found")
    part = slice(8000, 8120)
    right.plot(names["t"][part], names["heard"][part], color=GREY, linewidth=0.8, label="heard")
    right.plot(names["t"][part], names["filtered"][part], color=BLUE, label="filtered")
    right.plot(names["t"][part], names["clean"][part], color=ORANGE, linestyle="--", linewidth=1, label="true")
    right.legend(loc="lower left", ncols=3, fontsize=8, columnspacing=1)
    right.set_ylim(-5.5, 4.5)
    right.set_xlabel("seconds")
    right.set_title("The sound")


@of("kalman")
def kalman(names: Names, figure: Figure) -> None:
    left, right = figure.subplots(1, 2)
    track, places, means = (numpy.asarray(names[name]) for name in ("track", "places", "means"))
    left.plot(*track.T, color=ORANGE, linewidth=1)
    left.set_title("The track")
    part = slice(140, 190)
    left.plot(*track[part].T, color="black", linewidth=3)
    right.scatter(*places[part].T, s=16, color=GREY, label="measured")
    right.plot(*means[part, :2].T, color=BLUE, label="filtered")
    right.plot(*track[part].T, color=ORANGE, linestyle="--", label="true")
    right.legend()
    right.set_title("The part in black")


@of("edges")
def edges(names: Names, figure: Figure) -> None:
    pictures = {
        "An image with noise": names["image"],
        "After two blurs": names["smooth"],
        "Strength of edges": names["strength"],
        "Edges": names["outline"],
    }
    for axes, (title, picture) in zip(figure.subplots(2, 2).flat, pictures.items(), strict=True):
        axes.imshow(numpy.asarray(picture, float), cmap="gray_r" if "dges" in title else "gray")
        bare(axes, title)


@of("mandelbrot")
def mandelbrot(names: Names, figure: Figure) -> None:
    axes = figure.subplots()
    times = numpy.asarray(names["times"], float)
    shade = numpy.where(times == 300, 0, numpy.log(times))
    axes.imshow(shade, cmap="twilight_shifted", extent=(-2.1, 0.7, -1.05, 1.05))
    bare(axes, "Iterations until a point escapes")


@of("newton")
def newton(names: Names, figure: Figure) -> None:
    left, right = figure.subplots(1, 2)
    nearest, steps = (numpy.asarray(names[name]).reshape(180, 240) for name in ("nearest", "steps"))
    colours = numpy.array([[0.16, 0.44, 0.71], [0.88, 0.48, 0.13], [0.23, 0.60, 0.36]])
    shade = numpy.clip(1.15 - steps / 22, 0.25, 1)[..., None]
    left.imshow(colours[nearest] * shade, extent=(-1.6, 1.6, -1.2, 1.2), origin="lower")
    left.scatter(*names["roots"].T, s=18, color="white", edgecolors="black")
    bare(left, "Where a start ends")
    figure.set_size_inches(8, 3.2)
    image = right.imshow(steps, extent=(-1.6, 1.6, -1.2, 1.2), origin="lower", cmap="viridis", vmax=25)
    bare(right, "Steps")
    figure.colorbar(image, ax=right, shrink=0.6)


@of("greeks")
def greeks(names: Names, figure: Figure) -> None:
    for axes, name, surface in zip(figure.subplots(2, 3).flat, ("price", "delta", "gamma", "theta", "rho", "vega"), names["found"], strict=True):
        for years, row, colour in zip(names["years"], numpy.asarray(surface), (ORANGE, BLUE, GREEN), strict=True):
            axes.plot(names["spots"], row, color=colour, label=f"{years:g} years", linewidth=1.2)
        axes.axvline(100, color=GREY, linewidth=0.6, linestyle=":")
        axes.set_title(name)
        if name == "price":
            axes.legend(fontsize=8)


@of("asian_option")
def asian_option(names: Names, figure: Figure) -> None:
    left, right = figure.subplots(1, 2)
    days = numpy.arange(names["DAYS"] + 1)
    some = numpy.asarray(names["paths"](names["SPOT"], numpy.random.default_rng(11).standard_normal((40, names["DAYS"]))))
    for path in some:
        above = path.mean() > names["STRIKE"]
        left.plot(days, [names["SPOT"], *path], color=BLUE if above else GREY, linewidth=0.7, alpha=0.9 if above else 0.5)
    left.axhline(names["STRIKE"], color=ORANGE, linestyle="--", linewidth=1)
    left.set_xlabel("week")
    left.set_title("40 paths; blue ones pay")
    count = numpy.arange(1, len(names["plain"]) + 1)
    for values, colour, label in ((names["plain"], GREY, "payoffs alone"), (names["controlled"], BLUE, "with control")):
        running = numpy.cumsum(values) / count
        right.plot(count * names["PATHS"], running, color=colour, label=label)
    right.legend()
    right.set_xlabel("paths")
    right.set_title("The price that is found")


def save(figure: Figure, path: Path) -> None:
    """The picture, and a small one of 16 by 9 for its card."""
    figure.savefig(path)
    plt.close(figure)
    with Image.open(path) as picture:
        small = ImageOps.pad(picture.convert("RGB"), (560, 315), color="white")
    small.save(path.with_name(f"{path.stem}-small.png"))


def run(name: str, folder: Path) -> None:
    """Runs one program: what it prints, and its picture."""
    sys.path.insert(0, str(ROOT / "examples"))  # for what the programs share
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        names = runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
    (folder / f"{name}.txt").write_text(said.getvalue())
    with plt.rc_context(STYLE):
        figure = plt.figure()
        DRAWINGS[name](names, figure)
        save(figure, folder / f"{name}.png")


def blank(name: str, folder: Path) -> None:
    """What stands in for a program that can't run."""
    (folder / f"{name}.txt").write_text("(The package was not built with this site.)\n")
    with plt.rc_context(STYLE):
        figure = plt.figure()
        figure.text(0.5, 0.5, "The package was not built with this site.", ha="center", color=GREY)
        save(figure, folder / f"{name}.png")
    for path in folder.glob(f"{name}[.-]*"):
        os.utime(path, (0, 0))  # to be made once the package is there


def is_current(name: str, folder: Path) -> bool:
    """Whether a program was run since it, what draws it, and the package were changed."""
    found = importlib.util.find_spec("fastnp")
    assert found is not None and found.origin is not None  # docs/build.sh has looked for it
    package = Path(found.origin).parent
    sources = [Path(__file__), *(ROOT / "examples").glob("*.py"), *package.glob("*.py"), *package.glob("*.so"), package.parents[1] / "libfastnp.so"]
    made = [folder / f"{name}.txt", folder / f"{name}.png", folder / f"{name}-small.png"]
    return all(path.exists() for path in made) and max(map(mtime, sources)) < min(map(mtime, made))


def mtime(path: Path) -> float:
    return path.stat().st_mtime if path.exists() else 0.0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--blank", action="store_true")
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    make = functools.partial(blank if given.blank else run, folder=given.folder)
    # A process for each two processors: programs are compiled and computed by some threads of their own.
    with multiprocessing.get_context("spawn").Pool(max(2, (os.cpu_count() or 2) // 2)) as pool:
        wanted = given.names or [name for name in DRAWINGS if given.blank or not is_current(name, given.folder)]
        for _ in pool.imap_unordered(make, wanted):
            pass


if __name__ == "__main__":
    main()
