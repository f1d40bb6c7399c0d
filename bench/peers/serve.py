"""Fits scikit-learn's machines on the data that ours learnt and lays them out for MLServer: serve.py FOLDER DATA C GAMMA C_IRIS GAMMA_IRIS."""

import json
import os
import sys

import joblib
import numpy as np
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

folder, data = sys.argv[1:3]
c, gamma, c_iris, gamma_iris = map(float, sys.argv[3:])
x, y = load_iris(return_X_y=True)
machines = {
    "iris": make_pipeline(StandardScaler(), SVC(C=c_iris, gamma=gamma_iris)).fit(x, y),
    "large": SVC(C=c, gamma=gamma).fit(np.load(data + "/large_x.npy"), np.load(data + "/large_y.npy").ravel()),
}
print(len(machines["large"].support_), "support vectors")
for name, machine in machines.items():
    place = os.path.join(folder, name)
    os.makedirs(place, exist_ok=True)
    joblib.dump(machine, os.path.join(place, "model.joblib"))
    json.dump({"name": name, "implementation": "mlserver_sklearn.SKLearnModel", "parameters": {"uri": "./model.joblib", "version": "1"}}, open(os.path.join(place, "model-settings.json"), "w"))
# At its fastest: no log of requests, and no second process between the request and the model.
json.dump({"debug": False, "parallel_workers": 0, "host": "127.0.0.1", "http_port": 18080, "grpc_port": 18081, "metrics_port": 18082}, open(os.path.join(folder, "settings.json"), "w"))
