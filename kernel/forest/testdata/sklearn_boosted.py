"""Makes sklearn_boosted.json: what scikit-learn's gradient boosting by histograms predicts of the rows
that it was fitted to. (Of others it may say something else: its thresholds lie halfway between two
numbers of the column, those here halfway between two numbers of the node.)

    python sklearn_boosted.py > sklearn_boosted.json
"""
import json

import numpy as np
import sklearn
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingClassifier, HistGradientBoostingRegressor

rng = np.random.default_rng(7)
n, d = 150, 4
x = np.round(rng.normal(size=(n, d)), 3)
y = np.round(np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.3 * rng.normal(size=n), 4)
code = np.digitize(y, [-0.5, 0.6])
w = np.round(rng.uniform(0.5, 2, size=n), 3)
gaps = x.copy()
gaps[rng.uniform(size=x.shape) < 0.1] = np.nan
common = dict(max_iter=30, learning_rate=0.1, max_leaf_nodes=None, max_depth=3, min_samples_leaf=5, early_stopping=False)
numbers, classes = HistGradientBoostingRegressor(**common), HistGradientBoostingClassifier(**common)
faster = HistGradientBoostingRegressor(**common | dict(learning_rate=0.3))
plain = GradientBoostingRegressor(n_estimators=30, max_depth=3, min_samples_leaf=5, random_state=0)
out = {
    "source": f"scikit-learn {sklearn.__version__}",
    "x": x.ravel().tolist(), "y": y.tolist(), "code": code.tolist(), "w": w.tolist(),
    "gaps": [None if np.isnan(v) else v for v in gaps.ravel()],
    "numbers": numbers.fit(x, y).predict(x).tolist(),
    "weighted": numbers.fit(x, y, w).predict(x).tolist(),
    "faster": faster.fit(x, y).predict(x).tolist(),
    "missing": numbers.fit(gaps, y).predict(gaps).tolist(),
    "plain": plain.fit(x, y, w).predict(x).tolist(),
    "importances": plain.feature_importances_.tolist(),
    "two": classes.fit(x, code > 0).predict_proba(x)[:, 1].tolist(),
    "three": classes.fit(x, code).predict_proba(x).ravel().tolist(),
}
print(json.dumps(out))
