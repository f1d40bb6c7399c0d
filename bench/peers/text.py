"""Texts: mercer fit beside a linear machine on n-grams with its grid, the same rows for both.

Called by bench/text.go with a JSON object; prints one. Files are cut, written as CSV and read by
both sides; reading is part of neither's processor time on this side, of mercer's it is.
"""
import csv
import gzip
import json
import os
import random
import resource
import subprocess
import sys
import time
import warnings

warnings.filterwarnings("ignore")
csv.field_size_limit(1 << 30)
q = json.loads(sys.argv[1])


def read(name):
    path = os.path.join(q["from"], name)
    with (gzip.open if name.endswith(".gz") else open)(path, "rt", encoding="utf-8", newline="") as f:
        if ".tsv" in name:
            rows = [line.rstrip("\n").split("\t") for line in f]
        else:
            rows = list(csv.reader(f))
    text, label = rows[0].index(q["text"]), rows[0].index(q["label"])
    return [(r[text], r[label]) for r in rows[1:]]


def spelt(i):
    out = ""
    while True:
        out += "bcdfghjklmnprstvz"[i % 17] + "aeiou"[i // 17 % 5]
        i //= 85
        if i == 0:
            return out


def endings(n):
    """Words of five languages that differ in how they end, a tenth of them at random."""
    rng = random.Random(1)
    ends = [["ov", "ev", "in", "sky"], ["ini", "elli", "etti", "ano"], ["mann", "stein", "berg", "er"], ["sen", "son", "gaard"], ["ez", "ado", "illa"]]
    out = []
    for _ in range(n):
        c = rng.randrange(5)
        stem = "".join(rng.choice("bdfgklmnprst") + rng.choice("aeiou") for _ in range(rng.randrange(1, 4)))
        out.append((stem + rng.choice(ends[c if rng.random() > 0.1 else rng.randrange(5)]), "ABCDE"[c]))
    return out


def million(n):
    """Short texts of words by Zipf's law, each class leaning to some of them."""
    import numpy as np

    rng, words = np.random.default_rng(1), 200_000
    names = [spelt(i) for i in range(words)]
    p, lean = 1 / np.arange(1, words + 1), rng.normal(size=words) * 0.6
    y, length = rng.integers(0, 2, n), rng.integers(5, 13, n)
    drawn = []
    for c in (0, 1):
        w = p * np.exp(lean * (1 if c else -1))
        drawn.append(iter(rng.choice(words, size=int(length[y == c].sum()), p=w / w.sum()).tolist()))
    return [(" ".join(names[next(drawn[c])] for _ in range(k)), "yes" if c else "no") for c, k in zip(y.tolist(), length.tolist())]


if q["rows"]:
    rows = (million if q["analyzer"] == "hash" else endings)(q["rows"])
    cut = len(rows) * 4 // 5
    train, test = rows[:cut], rows[cut:]
elif q["test"]:
    train, test = read(q["train"]), read(q["test"])
else:
    rows = read(q["train"])
    random.Random(1).shuffle(rows)
    cut = len(rows) * 4 // 5
    train, test = rows[:cut], rows[cut:]
for name, part in (("train", train), ("test", test)):
    with open(os.path.join(q["to"], name + ".csv"), "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["text", "label"])
        w.writerows(part)

before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
subprocess.run([q["mercer"], "fit", "train.csv", "--target", "label", "-o", "m.mercer", "--report", "none", "-q"], cwd=q["to"], check=True, stdout=subprocess.DEVNULL)
after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
said = subprocess.run([q["mercer"], "eval", "m.mercer", "test.csv", "--json"], cwd=q["to"], check=True, capture_output=True).stdout
ours = dict(peer="mercer", accuracy=json.loads(said)["scores"]["accuracy"], cpu=after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, wall=wall)

from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.svm import LinearSVC

grid = {"C": [2.0**k for k in range(-8, 5, 2)]}
x, y = zip(*train)
z, t = zip(*test)
before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
if q["analyzer"] == "hash":
    vectors, folds, peer = HashingVectorizer(), ShuffleSplit(1, test_size=0.2, random_state=1), "HashingVectorizer, LinearSVC, 7 C on one split"
    a = vectors.transform(x)
elif q["analyzer"] == "word":
    vectors, folds, peer = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), 5, "LinearSVC, 7 C × 5 folds, tf-idf of words and pairs"
    a = vectors.fit_transform(x)
else:
    vectors, folds, peer = TfidfVectorizer(analyzer=q["analyzer"], ngram_range=(1, 5), sublinear_tf=True, lowercase=False), 5, "LinearSVC, 7 C × 5 folds, tf-idf of 1 to 5 letters"
    a = vectors.fit_transform(x)
m = GridSearchCV(LinearSVC(), grid, cv=folds).fit(a, y)
after, wall = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter() - start
theirs = dict(peer=peer, accuracy=m.score(vectors.transform(z), t), cpu=after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, wall=wall)
json.dump({"train": len(train), "test": len(test), "ours": ours, "peer": theirs}, sys.stdout)
