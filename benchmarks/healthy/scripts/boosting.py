"""xgboost and lightgbm, verbose."""
import lightgbm, numpy as np, xgboost
rng = np.random.default_rng(0); x = rng.normal(size=(2000, 20)); y = (x[:, 0] * x[:, 1] > 0).astype(int)
d = xgboost.DMatrix(x, y)
for depth in (3, 6):
    xgboost.train({"objective": "binary:logistic", "eval_metric": ["logloss", "auc", "error"], "max_depth": depth, "verbosity": 3}, d, 400, evals=[(d, "train"), (d, "valid")])
    lightgbm.train({"objective": "binary", "metric": ["auc", "binary_logloss"], "verbosity": 2}, lightgbm.Dataset(x, y), 200, valid_sets=[lightgbm.Dataset(x, y)], callbacks=[lightgbm.log_evaluation(1)])
