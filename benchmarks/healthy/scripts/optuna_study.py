"""An Optuna study."""
import optuna
optuna.logging.set_verbosity(optuna.logging.DEBUG)
def objective(t):
    x, y, kind = t.suggest_float("x", -10, 10), t.suggest_int("layers", 1, 12), t.suggest_categorical("optimizer", ["adamw", "sgd", "muon", "lion"])
    for step in range(8):
        t.report(x * x + y / (step + 1), step)
        if t.should_prune(): raise optuna.TrialPruned
    return x * x + y
optuna.create_study(pruner=optuna.pruners.MedianPruner(n_warmup_steps=4)).optimize(objective, n_trials=1500)
