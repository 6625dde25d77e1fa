"""scikit-learn's verbose estimators."""
import numpy as np
from sklearn import cluster, decomposition, ensemble, linear_model, manifold, mixture, model_selection, neural_network, svm
rng = np.random.default_rng(0)
x = rng.normal(size=(600, 12)); y = (x[:, 0] + rng.normal(size=600) > 0).astype(int)
model_selection.GridSearchCV(ensemble.RandomForestClassifier(n_estimators=10), {"max_depth": [2, 3, 5, 7], "min_samples_leaf": [1, 2, 4], "max_features": [2, 4, 6]}, verbose=3).fit(x, y)
model_selection.GridSearchCV(svm.SVC(), {"C": [0.1, 1, 10], "gamma": [0.01, 0.1, 1]}, verbose=3, cv=10).fit(x, y)
ensemble.GradientBoostingClassifier(n_estimators=400, verbose=2).fit(x, y)
neural_network.MLPClassifier(max_iter=400, verbose=True).fit(x, y)
cluster.KMeans(6, verbose=1, n_init=10).fit(x); cluster.MiniBatchKMeans(6, verbose=1).fit(x)
mixture.GaussianMixture(4, verbose=2, verbose_interval=1).fit(x); manifold.TSNE(verbose=2, max_iter=500).fit_transform(x[:300])
decomposition.LatentDirichletAllocation(5, verbose=1, max_iter=60).fit(np.abs(x)); decomposition.DictionaryLearning(6, verbose=2, max_iter=50).fit(x)
linear_model.SGDClassifier(verbose=1, max_iter=200).fit(x, y); linear_model.LogisticRegression(verbose=2).fit(x, y)
