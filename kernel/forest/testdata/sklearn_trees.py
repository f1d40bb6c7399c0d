"""Prints predictions of scikit-learn's trees on a small table, and scores of its isolation forest: sklearn_trees.json.

    python3 -m venv venv && venv/bin/pip install scikit-learn && venv/bin/python sklearn_trees.py > sklearn_trees.json

Numbers are multiples of 1/8, since scikit-learn rounds columns to single precision. Targets have noise enough that no two cuts
of a node are equally good, which random_state would decide: predictions are the same at twenty of them, to ten digits, or the script fails.
"""

import json

import numpy as np
import sklearn
from sklearn.ensemble import IsolationForest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

rng = np.random.default_rng(5)
n, d = 120, 4
x = np.round(8 * rng.normal(size=(n, d))) / 8
fresh = np.round(8 * rng.normal(size=(40, d))) / 8
y = np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.5 * rng.normal(size=n)
w = rng.integers(1, 4, size=n).astype(float)
code = (np.digitize(y, np.quantile(y, [0.3, 0.7]))).astype(int)
gaps = x.copy()
gaps[rng.random(size=(n, d)) < 0.15] = np.nan


importances = []


def asked(make, target, rows=x, weights=None, proba=False, at=fresh):
    answers, weighed = set(), set()
    for seed in range(20):
        m = make(seed).fit(rows, target, sample_weight=weights)
        p = m.predict_proba(at) if proba else m.predict(at)
        answers.add(json.dumps(np.round(p.ravel(), 10).tolist()))
        weighed.add(json.dumps(np.round(m.feature_importances_, 10).tolist()))
    assert len(answers) == len(weighed) == 1, "equally good cuts"
    importances.append(json.loads(weighed.pop()))
    return json.loads(answers.pop())


def reg(**o):
    return lambda seed: DecisionTreeRegressor(random_state=seed, **o)


def clf(**o):
    return lambda seed: DecisionTreeClassifier(random_state=seed, **o)


out = {
    "source": f"scikit-learn {sklearn.__version__}, sklearn_trees.py",
    "x": x.ravel().tolist(), "fresh": fresh.ravel().tolist(), "y": y.tolist(), "w": w.tolist(), "code": code.tolist(),
    "gaps": [None if np.isnan(v) else v for v in gaps.ravel().tolist()],
    "reg depth 3": asked(reg(max_depth=3, min_samples_leaf=6), y),
    "reg min 10": asked(reg(min_samples_leaf=10), y),
    "reg weighted": asked(reg(max_depth=5, min_samples_leaf=8), y, weights=w),
    "clf depth 3": asked(clf(max_depth=3, min_samples_leaf=8), code, proba=True),
    "clf entropy": asked(clf(max_depth=3, min_samples_leaf=8, criterion="entropy"), code, proba=True),
    "clf two": asked(clf(max_depth=3, min_samples_leaf=8), code // 2, weights=w, proba=True),
    "reg gaps": asked(reg(max_depth=4, min_samples_leaf=8), y, rows=gaps),
}
cloud = rng.normal(size=(500, 3))
cloud[:5] += 6
scores = np.mean([-IsolationForest(n_estimators=200, random_state=s).fit(cloud).score_samples(cloud) for s in range(10)], axis=0)

out |= {"cloud": cloud.ravel().tolist(), "isolation": scores.tolist(), "importances": importances}
print(json.dumps(out))
