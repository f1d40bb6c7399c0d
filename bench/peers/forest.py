"""scikit-learn's random forests and gradient boosting by histograms."""


def name():
    import sklearn

    return f"scikit-learn {sklearn.__version__}"


def forest(x, y, fresh, classes, threads):
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    machine = RandomForestClassifier if classes else RandomForestRegressor
    return name() + " RandomForest", lambda: machine(100, n_jobs=threads, random_state=0).fit(x, y.ravel()).predict(fresh)


def boosted(x, y, fresh, classes, threads):
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    machine = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    options = dict(max_depth=5, max_leaf_nodes=None, min_samples_leaf=20, early_stopping=False)
    return name() + " HistGradientBoosting", lambda: machine(**options).fit(x, y.ravel()).predict(fresh)
