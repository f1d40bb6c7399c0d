"""Writes docs/python-reference.md from the docstrings of the package."""

from __future__ import annotations

import inspect
import re
import textwrap

import mercer

GROUPS = [
    ("Support vector machines", ["SVC", "NuSVC", "LinearSVC", "SVR", "NuSVR", "OneClassSVM"]),
    ("Ridge, logistic regression, discriminants", ["KernelRidge", "KernelLogistic", "KernelFisher"]),
    ("Gaussian processes", ["GaussianProcessRegressor", "GaussianProcessClassifier", "SGPR"]),
    ("Few rows are kept", ["RVC", "RVR"]),
    ("Many rows", ["Falkon", "FalkonClassifier"]),
    ("Online", ["KernelPerceptron", "Perceptron"]),
    ("Forests", ["RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor"]),
    ("Boosted trees", ["GradientBoostingClassifier", "GradientBoostingRegressor"]),
    ("Projections and features", ["KernelPCA", "KernelCCA", "Nystroem", "RandomFourier"]),
    ("Groups", ["KernelKMeans", "SpectralClustering"]),
    ("Densities and curves", ["KernelDensity", "NadarayaWatson", "LocalRegression"]),
    ("All of it", ["Auto"]),
    ("Tests, curves, comparisons", ["mmd_test", "hsic_test", "conditional_test", "density", "smooth", "compare"]),
    ("Model files", ["load"]),
]


def wrapped(text: str, first: str = "", rest: str = "") -> str:
    """A paragraph of at most 100 columns."""
    return textwrap.fill(" ".join(text.split()), 100, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False)


def markdown(text: str) -> str:
    """Sphinx's marks as Markdown's."""
    text = re.sub(r":(?:class|func|mod|meth):`~?([^`]*)`", r"`\1`", text)
    return text.replace("``", "`")


def entry(name: str) -> list[str]:
    """What there is to say of one name."""
    thing = getattr(mercer, name)
    doc = inspect.getdoc(thing) or ""
    parts = re.split(r"^(Parameters|Attributes|Returns|Examples|Raises)\n-+\n", doc, flags=re.M)
    out = [f"### {name}", ""]
    for paragraph in parts[0].strip().split("\n\n"):
        out += [wrapped(markdown(paragraph)), ""]
    for title, body in zip(parts[1::2], parts[2::2]):
        if title == "Examples":
            out += ["```python", body.strip(), "```", ""]
            continue
        out += [f"{title}:", ""]
        items: list[list[str]] = []
        for line in body.strip("\n").splitlines():
            if line and not line.startswith(" "):
                items.append([line, ""])
            elif items:
                items[-1][1] += " " + line.strip()
        for head, meaning in items:
            called, _, kind = head.partition(" : ")
            text = f"`{called}`" if title != "Returns" else called
            text += f" ({kind})" if kind else ""
            text += f": {meaning.strip()}" if meaning.strip() else ""
            out.append(wrapped(markdown(text), "- ", "  "))
        out.append("")
    return out


def written() -> str:
    """The page."""
    out = ["# Python: the reference", "", wrapped("Made of the docstrings by `python/tools/reference.py`. [The tour](python.md) says how things go together; kernels are those of [the language](kernels.md), a class for each in `mercer.kernels`."), ""]
    for title, names in GROUPS:
        out += [f"## {title}", ""]
        for name in names:
            out += entry(name)
    missing = {n for n in mercer.__all__ if hasattr(getattr(mercer, n), "fit")} - {n for _, names in GROUPS for n in names}
    if missing:
        raise SystemExit(f"tools/reference.py does not name {sorted(missing)}")
    return "\n".join(out).rstrip() + "\n"


if __name__ == "__main__":
    print(written(), end="")
