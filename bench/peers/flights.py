"""scikit-learn on the flights of a year: the table that bench/run flights prints beside mercer fit."""
import resource
import sys
import time

import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from sklearn.metrics import root_mean_squared_error
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

flights = pd.read_csv(sys.argv[1]).drop(columns="arr_delay")
x, y = flights.drop(columns="air_time"), flights["air_time"]
words = ["carrier", "origin", "dest"]
numbers = [c for c in x if c not in words]
train, test, ytrain, ytest = train_test_split(x, y, test_size=0.2, random_state=0)
encode = make_column_transformer(
    (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
    (OneHotEncoder(handle_unknown="ignore", sparse_output=False), words))
codes = make_column_transformer((OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), words), remainder="passthrough")
for name, model in [
    ("Ridge", make_pipeline(encode, Ridge())),
    ("Nystroem(1000, gamma=0.01) + Ridge", make_pipeline(encode, Nystroem(n_components=1000, gamma=0.01, random_state=0), Ridge(alpha=0.1))),
    ("HistGradientBoostingRegressor", make_pipeline(codes, HistGradientBoostingRegressor(random_state=0))),
]:
    begun, cpu = time.time(), time.process_time()
    error = root_mean_squared_error(ytest, model.fit(train, ytrain).predict(test))
    print(f"{'scikit-learn ' + name:52} {error:8.3f} {time.time() - begun:8.1f} {time.process_time() - cpu:8.1f} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:8.0f}")
