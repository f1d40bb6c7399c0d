"""Predicts the rows of a CSV file by a model that `mercer export --to json` wrote: python3 run_json.py MODEL ROWS.
Any kernel below and every kind of column and decision; standard library only."""
import csv, json, math, sys

model = json.load(open(sys.argv[1]))
dot = lambda x, y: sum(a * b for a, b in zip(x, y))
square = lambda x, y: sum((a - b) ** 2 for a, b in zip(x, y))


def kernel(k, x, y):
    if "constant" in k: return k["constant"]
    if "sum" in k: return sum(kernel(t, x, y) for t in k["sum"])
    if "product" in k: return math.prod(kernel(t, x, y) for t in k["product"])
    if "power" in k: return kernel(k["of"][0], x, y) ** k["power"]
    if isinstance(k.get("lengthscale"), list):
        x, y = ([a / s for a, s in zip(v, k["lengthscale"])] for v in (x, y))
        k = dict(k, lengthscale=1)
    return {"linear": lambda: dot(x, y),
            "poly": lambda: (k["gamma"] * dot(x, y) + k["offset"]) ** k["degree"],
            "sigmoid": lambda: math.tanh(k["gamma"] * dot(x, y) + k["offset"]),
            "gaussian": lambda: math.exp(-square(x, y) / (2 * k["lengthscale"] ** 2)),
            "laplace": lambda: math.exp(-math.sqrt(square(x, y)) / k["lengthscale"])}[k["kernel"]]()


def feature(f, row):
    text = row[f["column"]]
    if f.get("indicator"): return float(text == "")
    if text == "": return f["missing"]
    if "level" in f: return float(text == f["level"])
    if "codes" in f: return float(f["codes"].index(text)) if text in f["codes"] else -1.0
    return (float(text) - f["center"]) * f["factor"]


def probabilities(s):
    sigmoid = lambda t: 1 / (1 + math.exp(-t)) if t > 0 else math.exp(t) / (1 + math.exp(t))
    platt = lambda: [min(max(sigmoid(-a * t - b), 1e-7), 1 - 1e-7) for t, (a, b) in zip(s, model["sigmoids"])]
    share = lambda p: [v / sum(p) for v in p]
    soft = lambda t: share([math.exp(v - max(t)) for v in t])
    how = model.get("probabilities", "")
    if how == "sigmoid": return [1 - sigmoid(s[0]), sigmoid(s[0])]
    if how == "softmax": return soft(s)
    if how == "shares": return share([sigmoid(t) for t in s])
    if how == "slope": return soft([-s[0] * model["slope"] / 2, s[0] * model["slope"] / 2] if len(s) == 1 else [t * model["slope"] for t in s])
    if how == "grades":
        upTo = [0] + [sigmoid(c - s[0]) for c in model["cuts"]] + [1]
        return [b - a for a, b in zip(upTo, upTo[1:])]
    if how == "platt": return [1 - platt()[0], platt()[0]]
    if how == "platt shares": return share(platt())
    if how == "platt pairs": return coupled(platt(), len(model["classes"]))
    return None


def coupled(pairs, n):
    r, at = [[0.0] * n for _ in range(n)], 0
    for a in range(n):
        for b in range(a + 1, n):
            r[a][b], r[b][a] = pairs[at], 1 - pairs[at]
            at += 1
    m = [[1 + (sum(r[c][a] ** 2 for c in range(n)) if a == b else -r[b][a] * r[a][b]) for b in range(n)] + [1.0] for a in range(n)]
    for j in range(n):
        for a in range(n):
            if a != j:
                f = m[a][j] / m[j][j]
                m[a] = [u - f * v for u, v in zip(m[a], m[j])]
    p = [m[a][n] / m[a][a] for a in range(n)]
    return [v / sum(p) for v in p]


def decide(s, p):
    first = lambda v: v.index(max(v))
    if model["decide"] == "value": return repr(s[0])
    if model["decide"] == "sign": return model["classes"][s[0] > 0]
    if model["decide"] == "largest": return model["classes"][first(s)]
    if model["decide"] == "probable": return model["classes"][first(p)]
    if model["decide"] == "grades": return model["classes"][sum(s[0] > c for c in model["cuts"])]
    n, votes, at = len(model["classes"]), None, 0
    votes = [[0, 0.0] for _ in range(n)]
    for a in range(n):
        for b in range(a + 1, n):
            votes[a if s[at] > 0 else b][0] += 1
            votes[a][1] += s[at]
            votes[b][1] -= s[at]
            at += 1
    return model["classes"][first(votes)]


out = csv.writer(sys.stdout)
for row in csv.DictReader(open(sys.argv[2])):
    x = [feature(f, row) for f in model["inputs"]]
    k = [kernel(model["kernel_tree"], c, x) for c in model["center_points"]]
    bias = model.get("bias") or [0.0] * model["outputs"]
    s = [b + dot(k, column) for b, column in zip(bias, zip(*model["coefficients"]))]
    p = probabilities(s)
    out.writerow([decide(s, p)] + [repr(v) for v in p or []])
