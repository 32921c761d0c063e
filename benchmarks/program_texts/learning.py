"""Networks, clusters, trees and other things that learn, as people write them with NumPy; ``PROGRAMS``: entries, with what makes their arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from program_texts.made import log

# A network of two layers, trained by momentum


class Dense:
    def __init__(self, inputs, outputs, rng):
        self.W = rng.normal(0, 1 / np.sqrt(inputs), size=(inputs, outputs))
        self.b = np.zeros(outputs)
        self.vW, self.vb = np.zeros_like(self.W), np.zeros_like(self.b)

    def forward(self, x):
        self.x = x
        return x @ self.W + self.b

    def backward(self, g):
        self.gW = self.x.T @ g
        self.gb = g.sum(axis=0)
        return g @ self.W.T

    def update(self, rate):
        for value, speed, slope in ((self.W, self.vW, self.gW), (self.b, self.vb, self.gb)):
            speed *= 0.9
            speed -= rate * slope
            value += speed


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def mlp(X, labels, epochs):
    rng = np.random.default_rng(0)
    first, second = Dense(X.shape[1], 32, rng), Dense(32, 3, rng)
    losses = []
    for _ in range(epochs):
        order = rng.permutation(len(X))
        loss = 0.0
        for start in range(0, len(X), 50):
            batch = order[start : start + 50]
            h = first.forward(X[batch])
            p = softmax(second.forward(np.maximum(h, 0)))
            loss -= np.log(p[np.arange(len(batch)), labels[batch]]).sum()
            p[np.arange(len(batch)), labels[batch]] -= 1
            first.backward(second.backward(p / len(batch)) * (h > 0))
            for layer in (first, second):
                layer.update(0.05)
        losses.append(loss / len(X))
        if len(losses) > 1 and abs(losses[-1] - losses[-2]) < 1e-5:
            break
    predicted = second.forward(np.maximum(first.forward(X), 0)).argmax(axis=1)
    return np.array(losses), (predicted == labels).mean()


# A recurrent network over time, with its derivatives by hand


def rnn_forward(p, xs, h):
    hs = [h]
    for x in xs:
        h = np.tanh(p["Wx"] @ x + p["Wh"] @ h + p["b"])
        hs.append(h)
    return hs, np.array([p["Wy"] @ h for h in hs[1:]])


def rnn_backward(p, xs, hs, error):
    g = {k: np.zeros_like(v) for k, v in p.items()}
    back = np.zeros_like(hs[0])
    for t in reversed(range(len(xs))):
        g["Wy"] += np.outer(error[t], hs[t + 1])
        d = (p["Wy"].T @ error[t] + back) * (1 - hs[t + 1] ** 2)
        g["Wx"] += np.outer(d, xs[t])
        g["Wh"] += np.outer(d, hs[t])
        g["b"] += d
        back = p["Wh"].T @ d
    return {k: np.clip(v, -1, 1) for k, v in g.items()}


def rnn(series, hidden, epochs):
    rng = np.random.default_rng(3)
    shapes = {"Wx": (hidden, 1), "Wh": (hidden, hidden), "b": (hidden,), "Wy": (1, hidden)}
    p = {k: rng.normal(0, 0.2, s) for k, s in shapes.items()}
    losses = []
    for _ in range(epochs):
        hs, out = rnn_forward(p, series[:-1], np.zeros(hidden))
        error = (out - series[1:]) / len(out)
        losses.append(float((error**2).sum() * len(out)))
        for k, v in rnn_backward(p, series[:-1], hs, error).items():
            p[k] -= 0.2 * v
    return np.array(losses), out


# K-means until nothing moves


def assign(points, centres):
    return ((points[:, None, :] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)


def kmeans(points, k):
    rng = np.random.default_rng(5)
    centres = points[rng.choice(len(points), k, replace=False)]
    labels = None
    for _ in range(100):
        new = assign(points, centres)
        if labels is not None and np.array_equal(new, labels):
            break
        labels = new
        for c in range(k):
            members = points[labels == c]
            centres[c] = members.mean(axis=0) if len(members) else points[rng.integers(len(points))]
    inertia = ((points - centres[labels]) ** 2).sum()
    return centres, labels, inertia


# Logistic regression by Newton's method, several strengths by cross-validation


class Logistic:
    def __init__(self, strength=1.0, most=25):
        self.strength = strength
        self.most = most

    def fit(self, X, y):
        X = np.column_stack([np.ones(len(X)), X])
        self.w = np.zeros(X.shape[1])
        for turns in range(self.most):
            self.turns = turns
            p = 1 / (1 + np.exp(-X @ self.w))
            slope = X.T @ (p - y) + self.strength * self.w
            curve = (X * (p * (1 - p))[:, None]).T @ X + self.strength * np.eye(X.shape[1])
            step = np.linalg.solve(curve, slope)
            self.w -= step
            if np.linalg.norm(step) < 1e-8:
                break
        return self

    def predict(self, X):
        return (self.w[0] + X @ self.w[1:] > 0).astype(int)


def logistic(X, y):
    best, scores = None, {}
    for strength in [0.01, 0.1, 1.0, 10.0]:
        folds = np.arange(len(X)) % 5
        hits = []
        for fold in range(5):
            train, test = folds != fold, folds == fold
            model = Logistic(strength).fit(X[train], y[train])
            hits.append(np.mean(model.predict(X[test]) == y[test]))
        scores[strength] = np.mean(hits)
        if best is None or scores[strength] > scores[best]:
            best = strength
    return best, scores, Logistic(best).fit(X, y).w


# Principal components by power iteration


def leading(C, tolerance):
    v = np.ones(len(C)) / np.sqrt(len(C))
    for turn in range(500):  # noqa: B007  # how many there were is returned
        w = C @ v
        w /= np.linalg.norm(w)
        if np.abs(w - v).max() < tolerance:
            break
        v = w
    return v @ C @ v, v, turn


def pca(X, count):
    X = X - X.mean(axis=0)
    C = X.T @ X / (len(X) - 1)
    values, vectors = [], []
    for i in range(count):
        value, vector, turns = leading(C, 1e-7)
        log.info("component %d after %d turns", i, turns)
        if value < 1e-10:
            break
        values.append(value)
        vectors.append(vector)
        C = C - value * np.outer(vector, vector)
    return np.array(values), X @ np.array(vectors).T


# Naive Bayes over words


class Bayes:
    def __init__(self):
        self.words = {}
        self.counts = {}

    def index(self, word):
        if word not in self.words:
            self.words[word] = len(self.words)
        return self.words[word]

    def vector(self, text):
        v = np.zeros(200)
        for word in text.lower().split():
            v[self.index(word)] += 1
        return v

    def fit(self, texts, labels):
        for text, label in zip(texts, labels, strict=True):
            v = self.vector(text)
            if label in self.counts:
                self.counts[label] += v
            else:
                self.counts[label] = v

    def predict(self, text):
        v = self.vector(text)
        best, highest = None, -np.inf
        for label, counts in self.counts.items():
            score = v @ np.log((counts + 1) / (counts.sum() + len(counts)))
            if score > highest:
                best, highest = label, score
        return best, highest


def naive_bayes(codes, labels):
    texts = [" ".join(f"w{c}" for c in row) for row in codes]
    half = len(texts) // 2
    model = Bayes()
    model.fit(texts[:half], labels[:half])
    answers = [model.predict(text) for text in texts[half:]]
    right = sum(a == b for (a, _), b in zip(answers, labels[half:], strict=True))
    return right, np.array([score for _, score in answers]), len(model.words)


def clusters(count: int, width: int, kinds: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    labels = rng.integers(0, kinds, count)
    return rng.normal(size=(count, width)) + 2.5 * rng.normal(size=(kinds, width))[labels], labels


def coded_texts() -> tuple[np.ndarray, list[str]]:
    rng = np.random.default_rng(11)
    labels = rng.integers(0, 3, 240)
    return rng.integers(0, 60, (240, 15)) + 40 * labels[:, None], [("news", "mail", "poem")[k] for k in labels]


# A decision tree, grown and asked


def gini(labels):
    if len(labels) == 0:
        return 0.0
    p = np.bincount(labels) / len(labels)
    return 1.0 - np.sum(p**2)


def best_split(X, y):
    best = (gini(y) - 1e-9, None, None)
    for k in range(X.shape[1]):
        for threshold in np.percentile(X[:, k], [20, 40, 60, 80]):
            left = X[:, k] <= threshold
            share = left.mean()
            score = share * gini(y[left]) + (1 - share) * gini(y[~left])
            if score < best[0]:
                best = (score, k, threshold)
    return best


def grow(X, y, depth):
    _, k, threshold = best_split(X, y)
    if depth == 0 or k is None:
        return {"label": int(np.bincount(y).argmax())}
    left = X[:, k] <= threshold
    return {"k": k, "at": threshold, "left": grow(X[left], y[left], depth - 1), "right": grow(X[~left], y[~left], depth - 1)}


def ask(tree, x):
    while "label" not in tree:
        tree = tree["left"] if x[tree["k"]] <= tree["at"] else tree["right"]
    return tree["label"]


def forest(X, y, depth):
    tree = grow(X, y, depth)
    answers = np.array([ask(tree, x) for x in X])
    confusion = np.zeros((y.max() + 1, y.max() + 1), int)
    np.add.at(confusion, (y, answers), 1)
    return confusion, (answers == y).mean()


def labelled(count: int) -> tuple[np.ndarray, np.ndarray, int]:
    X = np.random.default_rng(8).normal(size=(count, 5))
    return X, (X[:, 0] > 0).astype(int) + (X[:, 1] * X[:, 2] > 0.3), 4


PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = {
    "mlp": (mlp, lambda: (*clusters(400, 10, 3), 15)),
    "rnn": (rnn, lambda: (np.sin(np.arange(41) * 0.3)[:, None], 12, 15)),
    "kmeans": (kmeans, lambda: (clusters(1500, 4, 6)[0], 6)),
    "logistic": (logistic, lambda: clusters(300, 5, 2)),
    "pca": (pca, lambda: (clusters(300, 20, 5)[0], 6)),
    "naive_bayes": (naive_bayes, coded_texts),
    "forest": (forest, lambda: labelled(400)),
}
