import csv, json, math, sys
m = json.load(open(sys.argv[1]))                                  # mercer export model.mercer -o model.json
def feature(f, text):                                             # a number scaled, or a category as 0 and 1
    return float(text == f["level"]) if "level" in f else (float(text) - f["center"]) * f["factor"]
width = m["kernel_tree"]["lengthscale"]                           # gaussian(lengthscale=...)
for row in csv.DictReader(open(sys.argv[2])):
    x = [feature(f, row[f["column"]]) for f in m["inputs"]]
    k = [math.exp(-math.dist(x, c) ** 2 / (2 * width ** 2)) for c in m["center_points"]]
    s = m.get("bias", [0])[0] + sum(a * v for (a,), v in zip(m["coefficients"], k))
    print({"value": lambda: s, "sign": lambda: m["classes"][s > 0]}[m["decide"]]())
