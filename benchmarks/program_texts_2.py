"""Whole programs as people write them with NumPy: games, parsers, graphs, tables, and images. `benchmarks/programs.py` measures them."""

from __future__ import annotations

import heapq
import io
import logging
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

log = logging.getLogger(__name__)


# Noughts and crosses, all games from a position


def winner(board):
    for player in (1, -1):
        if (board == player).all(axis=0).any() or (board == player).all(axis=1).any():
            return player
        if np.all(np.diag(board) == player) or np.all(np.diag(board[:, ::-1]) == player):
            return player
    return 0


def minimax(board, player, counts):
    counts["nodes"] += 1
    won = winner(board)
    if won:
        return won, None
    moves = np.argwhere(board == 0)
    if len(moves) == 0:
        return 0, None
    best, choice = -2 * player, None
    for i, j in moves:
        board[i, j] = player
        value, _ = minimax(board, -player, counts)
        board[i, j] = 0
        if value * player > best * player:
            best, choice = value, (int(i), int(j))
        if best == player:
            break
    return best, choice


def tictactoe(start):
    board = start.copy()
    counts = {"nodes": 0}
    player, moves = 1, []
    while True:
        value, move = minimax(board, player, counts)
        if move is None:
            break
        board[move] = player
        moves.append(move)
        player = -player
    return board, np.array(moves), value, counts["nodes"]


# The shortest way through a maze


def carve(n, seed):
    rng = np.random.default_rng(seed)
    maze = np.ones((2 * n + 1, 2 * n + 1), dtype=bool)
    stack = [(0, 0)]
    maze[1, 1] = False
    while stack:
        r, c = stack[-1]
        around = [(r + dr, c + dc) for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0))]
        free = [(a, b) for a, b in around if 0 <= a < n and 0 <= b < n and maze[2 * a + 1, 2 * b + 1]]
        if not free:
            stack.pop()
            continue
        a, b = free[rng.integers(len(free))]
        maze[r + a + 1, c + b + 1] = False
        maze[2 * a + 1, 2 * b + 1] = False
        stack.append((a, b))
    return maze


def distances(maze, start):
    distance = np.full(maze.shape, -1)
    distance[start] = 0
    queue = deque([start])
    while queue:
        r, c = queue.popleft()
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            place = r + dr, c + dc
            if maze[place] or distance[place] >= 0:
                continue
            distance[place] = distance[r, c] + 1
            queue.append(place)
    return distance


def maze_way(n, seed):
    maze = carve(n, seed)
    distance = distances(maze, (1, 1))
    r, c = np.unravel_index(distance.argmax(), distance.shape)
    way = [(r, c)]
    while distance[r, c] > 0:
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            if distance[r + dr, c + dc] == distance[r, c] - 1:
                r, c = r + dr, c + dc
                way.append((r, c))
                break
    return distance, np.array(way)


# Expressions: tokens, a tree by precedence, values over arrays

POWERS = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}
FUNCTIONS = {"sin": np.sin, "cos": np.cos, "sqrt": np.sqrt, "abs": np.abs}


def tokenize(text):
    tokens, i = [], 0
    while i < len(text):
        c = text[i]
        if c.isspace():
            i += 1
        elif c.isdigit() or c == ".":
            j = i
            while j < len(text) and (text[j].isdigit() or text[j] == "."):
                j += 1
            tokens.append(("number", float(text[i:j])))
            i = j
        elif c.isalpha():
            j = i
            while j < len(text) and text[j].isalnum():
                j += 1
            tokens.append(("name", text[i:j]))
            i = j
        else:
            tokens.append(("sign", c))
            i += 1
    return tokens


class Parser:
    def __init__(self, text, variables):
        self.tokens = tokenize(text)
        self.at = 0
        self.variables = variables

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", None)

    def take(self):
        token = self.peek()
        self.at += 1
        return token

    def atom(self):
        kind, value = self.take()
        if kind == "number":
            return value
        if kind == "name":
            if value in FUNCTIONS:
                return FUNCTIONS[value](self.atom())
            return self.variables[value]
        if value == "-":
            return -self.atom()
        if value == "(":
            inner = self.expression(1)
            self.take()
            return inner
        raise SyntaxError(f"unexpected {value!r}")

    def expression(self, lowest):
        left = self.atom()
        while self.peek()[0] == "sign" and POWERS.get(self.peek()[1], 0) >= lowest:
            sign = self.take()[1]
            right = self.expression(POWERS[sign] + 1)
            if sign == "+":
                left = left + right
            elif sign == "-":
                left = left - right
            elif sign == "*":
                left = left * right
            elif sign == "/":
                left = left / right
            else:
                left = left**right
        return left


def expressions(texts, x, y):
    results = np.zeros((len(texts), len(x)))
    failed = {}
    for i, text in enumerate(texts):
        try:
            results[i] = Parser(text, {"x": x, "y": y, "pi": np.pi}).expression(1)
        except (SyntaxError, KeyError) as error:
            failed[i] = str(error)
            results[i] = np.nan
    return np.nan_to_num(results, nan=-1.0), failed


# Merge sort


def merge(a, b):
    out = np.empty(len(a) + len(b), a.dtype)
    i = j = 0
    for k in range(len(out)):
        if j >= len(b) or (i < len(a) and a[i] <= b[j]):
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1
    return out


def mergesort(x):
    if len(x) <= 1:
        return x
    middle = len(x) // 2
    return merge(mergesort(x[:middle]), mergesort(x[middle:]))


# Check sums by a table, of packets


def crc_table():
    table = np.zeros(256, np.uint32)
    for i in range(256):
        c = i
        for _ in range(8):
            c = (c >> 1) ^ 0xEDB88320 if c & 1 else c >> 1
        table[i] = c
    return table


def crc32(data, table):
    c = 0xFFFFFFFF
    for byte in data:
        c = int(table[(c ^ int(byte)) & 0xFF]) ^ (c >> 8)
    return c ^ 0xFFFFFFFF


def checksums(data, size):
    table = crc_table()
    sums = []
    for start in range(0, len(data), size):
        packet = data[start : start + size]
        if not packet.any():
            continue
        sums.append(crc32(packet, table))
    return np.array(sums, dtype=np.uint32), table


# Edit distances between all words, and groups of near ones


def edits(a, b):
    row = np.arange(len(b) + 1)
    for i, x in enumerate(a, 1):
        previous, row = row, np.empty_like(row)
        row[0] = i
        for j, y in enumerate(b, 1):
            row[j] = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (x != y))
    return row[-1]


def word_distances(words):
    n = len(words)
    d = np.zeros((n, n), dtype=int)
    for i in range(n):
        for j in range(i + 1, n):
            d[i, j] = d[j, i] = edits(words[i], words[j])
    groups, left = [], set(range(n))
    while left:
        seed = min(left)
        group = sorted(k for k in left if d[seed, k] <= 4)
        left -= set(group)
        groups.append([words[k] for k in group])
    return d, groups


# Sudoku by trying


def candidates(grid, r, c):
    used = np.zeros(10, bool)
    used[grid[r]] = True
    used[grid[:, c]] = True
    used[grid[r // 3 * 3 : r // 3 * 3 + 3, c // 3 * 3 : c // 3 * 3 + 3].ravel()] = True
    return np.flatnonzero(~used)


def fill(grid, depth=0):
    best = None
    for r, c in np.argwhere(grid == 0):
        options = candidates(grid, r, c)
        if len(options) == 0:
            return False
        if best is None or len(options) < len(best[2]):
            best = r, c, options
            if len(options) == 1:
                break
    if best is None:
        return True
    r, c, options = best
    for digit in options:
        grid[r, c] = digit
        if fill(grid, depth + 1):
            return True
    grid[r, c] = 0
    return False


def sudoku(text):
    grid = np.array([int(ch) for ch in text]).reshape(9, 9)
    solved = fill(grid)
    out = io.StringIO()
    for row in grid:
        print(*row, file=out)
    return grid, solved, out.getvalue()


# An image smoothed within its edges


def shifted(image, dy, dx):
    h, w = image.shape
    padded = np.pad(image, 3, mode="edge")
    return padded[3 + dy : 3 + dy + h, 3 + dx : 3 + dx + w]


def bilateral(image, radius, space, tone):
    total = np.zeros_like(image)
    weight = np.zeros_like(image)
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            other = shifted(image, dy, dx)
            w = np.exp(-(dy**2 + dx**2) / (2 * space**2)) * np.exp(-((other - image) ** 2) / (2 * tone**2))
            total += w * other
            weight += w
    return total / weight


def denoise(image, rounds):
    history = []
    for _ in range(rounds):
        new = bilateral(image, 2, 1.5, 0.2)
        history.append(np.abs(new - image).mean())
        image = new
        if history[-1] < 1e-4:
            break
    gy, gx = np.gradient(image)
    return image, np.hypot(gx, gy) > 0.1, np.array(history)


# Connected parts of a picture


class Union:
    def __init__(self):
        self.parent = [0]

    def new(self):
        self.parent.append(len(self.parent))
        return self.parent[-1]

    def find(self, a):
        while self.parent[a] != a:
            self.parent[a] = self.parent[self.parent[a]]
            a = self.parent[a]
        return a

    def join(self, a, b):
        a, b = self.find(a), self.find(b)
        if a != b:
            self.parent[max(a, b)] = min(a, b)


def components(mask):
    h, w = mask.shape
    labels = np.zeros((h, w), dtype=np.int32)
    union = Union()
    for y in range(h):
        for x in range(w):
            if not mask[y, x]:
                continue
            up = labels[y - 1, x] if y else 0
            left = labels[y, x - 1] if x else 0
            if up and left:
                labels[y, x] = min(up, left)
                union.join(up, left)
            else:
                labels[y, x] = up or left or union.new()
    roots = np.array([union.find(k) for k in range(len(union.parent))])
    names, labels = np.unique(roots[labels], return_inverse=True)
    labels = labels.reshape(h, w)
    sizes = np.bincount(labels.ravel())[1:]
    boxes = {}
    for k in range(1, len(names)):
        ys, xs = np.nonzero(labels == k)
        boxes[k] = (ys.min(), xs.min(), ys.max(), xs.max())
    return labels, sizes, boxes


# Dithering to a palette


def nearest(palette, colour):
    return int(np.argmin(((palette - colour) ** 2).sum(axis=1)))


def spread(image, y, x, error):
    h, w = image.shape[:2]
    for dy, dx, share in ((0, 1, 7), (1, -1, 3), (1, 0, 5), (1, 1, 1)):
        if 0 <= x + dx < w and y + dy < h:
            image[y + dy, x + dx] += error * share / 16


def dither(picture, palette):
    image = picture.astype(float)
    indices = np.zeros(image.shape[:2], np.uint8)
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            old = image[y, x].copy()
            k = nearest(palette, old)
            indices[y, x] = k
            image[y, x] = palette[k]
            spread(image, y, x, old - palette[k])
    return indices, np.bincount(indices.ravel(), minlength=len(palette))


# Dithering of grey, by numbers


def dither_grey(picture):
    image = picture.astype(float)
    h, w = image.shape
    for y in range(h):
        for x in range(w):
            old = image[y, x]
            new = 255.0 if old >= 128 else 0.0
            image[y, x] = new
            error = old - new
            if x + 1 < w:
                image[y, x + 1] += error * 7 / 16
            if y + 1 < h:
                if x > 0:
                    image[y + 1, x - 1] += error * 3 / 16
                image[y + 1, x] += error * 5 / 16
                if x + 1 < w:
                    image[y + 1, x + 1] += error * 1 / 16
    return image.astype(np.uint8)


# Seams of least change taken out of an image


def change(image):
    dy = np.abs(np.diff(image, axis=0, append=image[-1:]))
    dx = np.abs(np.diff(image, axis=1, append=image[:, -1:]))
    return dy + dx


def seam(cost):
    h, w = cost.shape
    total = cost.copy()
    back = np.zeros((h, w), dtype=int)
    for y in range(1, h):
        left = np.concatenate([[np.inf], total[y - 1, :-1]])
        right = np.concatenate([total[y - 1, 1:], [np.inf]])
        options = np.stack([left, total[y - 1], right])
        back[y] = options.argmin(axis=0) - 1
        total[y] += options.min(axis=0)
    path = [int(total[-1].argmin())]
    for y in range(h - 1, 0, -1):
        path.append(path[-1] + back[y, path[-1]])
    return np.array(path[::-1])


def carve_seams(image, count):
    removed = []
    for _ in range(count):
        path = seam(change(image))
        keep = np.ones(image.shape, bool)
        keep[np.arange(len(path)), path] = False
        image = image[keep].reshape(len(image), -1)
        removed.append(path.mean())
    return image, np.array(removed)


# A hidden Markov model: likelihood, and the likeliest states


@dataclass
class Markov:
    start: np.ndarray
    move: np.ndarray
    emit: np.ndarray

    def likelihood(self, seen):
        a = self.start * self.emit[:, seen[0]]
        total = 0.0
        for s in seen[1:]:
            scale = a.sum()
            total += np.log(scale)
            a = (a / scale) @ self.move * self.emit[:, s]
        return total + np.log(a.sum())

    def viterbi(self, seen):
        score = np.log(self.start) + np.log(self.emit[:, seen[0]])
        back = np.zeros((len(seen), len(self.start)), dtype=int)
        for t in range(1, len(seen)):
            options = score[:, None] + np.log(self.move)
            back[t] = options.argmax(axis=0)
            score = options.max(axis=0) + np.log(self.emit[:, seen[t]])
        path = [score.argmax()]
        for t in range(len(seen) - 1, 0, -1):
            path.append(back[t, path[-1]])
        return np.array(path[::-1]), score.max()


def markov(seen, states):
    rng = np.random.default_rng(6)
    move = np.eye(states) * 4 + rng.random((states, states))
    emit = rng.random((states, seen.max() + 1)) ** 3
    model = Markov(np.full(states, 1 / states), move / move.sum(1, keepdims=True), emit / emit.sum(1, keepdims=True))
    path, score = model.viterbi(seen)
    return path, score, model.likelihood(seen)


# Accounts and transfers


@dataclass
class Account:
    owner: str
    balance: float = 0.0
    history: list = field(default_factory=list)

    def add(self, amount):
        if self.balance + amount < 0:
            raise ValueError(f"{self.owner} has {self.balance:.2f}")
        self.balance += amount
        self.history.append(amount)


def ledger(sources, targets, amounts):
    accounts = defaultdict(lambda: Account("", 100.0))
    refused = 0
    for a, b, amount in zip(sources, targets, amounts, strict=True):
        if a == b:
            continue
        try:
            accounts[a].add(-amount)
        except ValueError as error:
            log.info("refused: %s", error)
            refused += 1
            continue
        accounts[b].add(amount)
    keys = sorted(accounts)
    table = np.array([(accounts[k].balance, len(accounts[k].history), np.std(accounts[k].history or [0])) for k in keys])
    return table, refused, table[table[:, 1] > table[:, 1].mean(), 0].sum()


# Ranks of pages, and shortest ways between them


def page_ranks(links, damping, tolerance):
    n = len(links)
    out = links.sum(axis=1)
    rank = np.full(n, 1 / n)
    while True:
        new = (1 - damping) / n + damping * (rank / np.where(out > 0, out, 1)) @ links
        new += damping * rank[out == 0].sum() / n
        if np.abs(new - rank).sum() < tolerance:
            return new
        rank = new


def dijkstra(weights, start):
    distance = np.full(len(weights), np.inf)
    distance[start] = 0.0
    heap = [(0.0, start)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > distance[u]:
            continue
        for v in np.flatnonzero(weights[u]):
            new = d + weights[u, v]
            if new < distance[v]:
                distance[v] = new
                heapq.heappush(heap, (new, v))
    return distance


def graph(weights):
    ranks = page_ranks((weights > 0).astype(float), 0.85, 1e-10)
    order = np.argsort(-ranks)[:3]
    ways = {int(k): dijkstra(weights, int(k)) for k in order}
    return ranks, order, np.array([ways[int(k)] for k in order])


# A price by a tree and by chance


def tree_price(spot, strike, rate, vol, years, steps):
    dt = years / steps
    up = np.exp(vol * np.sqrt(dt))
    p = (np.exp(rate * dt) - 1 / up) / (up - 1 / up)
    values = np.maximum(strike - spot * up ** (2 * np.arange(steps + 1) - steps), 0)
    for n in range(steps - 1, -1, -1):
        values = np.exp(-rate * dt) * (p * values[1:] + (1 - p) * values[:-1])
        prices = spot * up ** (2 * np.arange(n + 1) - n)
        values = np.maximum(values, strike - prices)
    return values[0]


def chance_price(spot, strike, rate, vol, years, paths, seed):
    rng = np.random.default_rng(seed)
    s = np.full(paths, spot)
    lowest = s.copy()
    for _ in range(50):
        s *= np.exp((rate - vol**2 / 2) * years / 50 + vol * np.sqrt(years / 50) * rng.standard_normal(paths))
        lowest = np.minimum(lowest, s)
    pay = np.where(lowest < 0.8 * spot, 0, np.maximum(strike - s, 0))
    return np.exp(-rate * years) * pay.mean(), pay.std() / np.sqrt(paths)


def prices(spots, strike):
    rows = []
    for spot in spots:
        tree = tree_price(spot, strike, 0.03, 0.2, 1.0, 60)
        price, error = chance_price(spot, strike, 0.03, 0.2, 1.0, 500, 1)
        rows.append([spot, tree, price, error])
        if tree < 1e-3:
            break
    return np.array(rows)


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


# The hull of points, and which others are inside


def turn(o, a, b):
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


def half_hull(points):
    hull = []
    for p in points:
        while len(hull) >= 2 and turn(hull[-2], hull[-1], p) <= 0:
            hull.pop()
        hull.append(p)
    return hull[:-1]


def inside(polygon, points):
    result = np.zeros(len(points), dtype=bool)
    j = len(polygon) - 1
    for i in range(len(polygon)):
        (xi, yi), (xj, yj) = polygon[i], polygon[j]
        crosses = (yi > points[:, 1]) != (yj > points[:, 1])
        result ^= crosses & (points[:, 0] < (xj - xi) * (points[:, 1] - yi) / (yj - yi + 1e-300) + xi)
        j = i
    return result


def hull(points, others):
    points = points[np.lexsort((points[:, 1], points[:, 0]))]
    polygon = np.array(half_hull(points) + half_hull(points[::-1]))
    x, y = polygon.T
    area = 0.5 * abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))
    return polygon, area, inside(polygon, others)


# Runs and Huffman codes of a row of numbers


def runs(x):
    ends = np.flatnonzero(np.diff(x)) + 1
    starts = np.concatenate([[0], ends])
    return x[starts], np.diff(np.concatenate([starts, [len(x)]]))


def huffman(values):
    symbols, counts = np.unique(values, return_counts=True)
    heap = [(int(c), i, [int(s)]) for i, (s, c) in enumerate(zip(symbols, counts, strict=True))]
    lengths = {int(s): 0 for s in symbols}
    heapq.heapify(heap)
    n = len(heap)
    while len(heap) > 1:
        a, _, left = heapq.heappop(heap)
        b, _, right = heapq.heappop(heap)
        for s in left + right:
            lengths[s] += 1
        heapq.heappush(heap, (a + b, n, left + right))
        n += 1
    return lengths


def pack(images):
    out = io.StringIO()
    sizes = []
    for i, image in enumerate(images):
        values, counts = runs(image.ravel())
        lengths = huffman(counts)
        size = sum(lengths[int(c)] for c in counts)
        back = np.repeat(values, counts).reshape(image.shape)
        if not (back == image).all():
            raise RuntimeError(f"image {i}")
        sizes.append(size)
        out.write(f"{i}: {len(values)} runs, {size} bits\n")
    return np.array(sizes), out.getvalue()


# Four in a row, by scored windows


def drop(board, column, player):
    rows = np.flatnonzero(board[:, column] == 0)
    if len(rows) == 0:
        return None
    board = board.copy()
    board[rows[-1], column] = player
    return board


def windows(board):
    h, w = board.shape
    for r in range(h):
        for c in range(w):
            if c + 4 <= w:
                yield board[r, c : c + 4]
            if r + 4 <= h:
                yield board[r : r + 4, c]
            if c + 4 <= w and r + 4 <= h:
                yield board[r : r + 4, c : c + 4].diagonal()
                yield np.fliplr(board[r : r + 4, c : c + 4]).diagonal()


def score(board, player):
    total = 0
    for window in windows(board):
        mine, other = np.sum(window == player), np.sum(window == -player)
        if mine == 4:
            return 1000
        if other == 0:
            total += mine**2
        elif mine == 0:
            total -= other**2
    return total


def connect_four(moves):
    board, player = np.zeros((6, 7), dtype=int), 1
    scores = []
    for _ in range(moves):
        options = {c: new for c in range(7) if (new := drop(board, c, player)) is not None}
        if not options:
            break
        values = {c: score(new, player) for c, new in options.items()}
        column = max(values, key=values.get)
        board = options[column]
        scores.append(values[column])
        if scores[-1] >= 1000:
            break
        player = -player
    return board, np.array(scores)


# Measurements out of text


def read_table(text):
    columns, rows = None, []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        cells = line.split(",")
        if columns is None:
            columns = cells
            continue
        try:
            rows.append([float(c) if c else np.nan for c in cells])
        except ValueError:
            log.warning("line %d is no row", number)
    data = np.array(rows)
    return {name: data[:, k] for k, name in enumerate(columns)}


def rolling(x, width):
    sums = np.cumsum(np.insert(x, 0, 0.0))
    return (sums[width:] - sums[:-width]) / width


def table_report(text):
    table = read_table(text)
    summary = {}
    for name, values in table.items():
        good = ~np.isnan(values)
        filled = np.interp(np.arange(len(values)), np.flatnonzero(good), values[good])
        smooth = rolling(filled, 7)
        z = (filled - filled.mean()) / filled.std()
        summary[name] = {"mean": filled.mean(), "top": smooth.max(), "odd": np.flatnonzero(np.abs(z) > 2.5)}
    lines = [f"{name:>8} {s['mean']:9.3f} {s['top']:9.3f} {len(s['odd']):3d}" for name, s in summary.items()]
    return summary, "\n".join(lines)


SUDOKU = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"
TEXTS = [
    "x + y * 2",
    "sin(x) ^ 2 + cos(y) ^ 2",
    "(x - y) / (x + y + 1.5)",
    "sqrt(abs(x * y)) - pi",
    "x ^ 2 ^ 2",
    "-x * 3 + z",
    "2 * (x +",
    "1 + 2 * 3",
] * 4
WORDS = "array arrays stray tray compile compiler complete replete number numbers lumber loop loops slope shape shapes".split()


def picture(height: int, width: int) -> np.ndarray:
    y, x = np.mgrid[:height, :width]
    return np.sin(x / 7) * np.cos(y / 5) + 0.2 * np.random.default_rng(3).normal(size=(height, width))


def blobs(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(4).random((height, width)) < 0.55


def network(n: int) -> np.ndarray:
    rng = np.random.default_rng(5)
    return rng.random((n, n)) * (rng.random((n, n)) < 0.1)


def transfers(count: int) -> tuple[list[int], list[int], list[float]]:
    rng = np.random.default_rng(6)
    return rng.integers(0, 40, count).tolist(), rng.integers(0, 40, count).tolist(), (100 * rng.random(count)).tolist()


def labelled(count: int) -> tuple[np.ndarray, np.ndarray, int]:
    X = np.random.default_rng(8).normal(size=(count, 5))
    return X, (X[:, 0] > 0).astype(int) + (X[:, 1] * X[:, 2] > 0.3), 4


def table_text(count: int) -> str:
    rng = np.random.default_rng(9)
    lines = ["# measured", "time,heat,load"]
    for k in range(count):
        lines.append(f"{k},{20 + rng.normal():.3f},{rng.random():.3f}" if k % 17 else f"{k},,{rng.random():.2f}")
    return "\n".join([*lines, "end,of,file"])


PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = {
    "tictactoe": (tictactoe, lambda: (np.array([[1, 0, 0], [0, -1, 0], [0, 0, 0]]),)),
    "maze": (maze_way, lambda: (20, 1)),
    "expressions": (expressions, lambda: (TEXTS, np.linspace(0.1, 3, 50), np.linspace(2, 1, 50))),
    "mergesort": (mergesort, lambda: (np.random.default_rng(1).random(2000),)),
    "checksums": (checksums, lambda: (np.random.default_rng(2).integers(0, 256, 20000).astype(np.uint8), 500)),
    "words": (word_distances, lambda: (WORDS,)),
    "sudoku": (sudoku, lambda: (SUDOKU,)),
    "denoise": (denoise, lambda: (picture(60, 80), 4)),
    "components": (components, lambda: (blobs(60, 80),)),
    "dither": (dither, lambda: ((255 * np.random.default_rng(1).random((20, 24, 3))).astype(np.uint8), np.mgrid[:2, :2, :2].reshape(3, 8).T * 255.0)),
    "dither_grey": (dither_grey, lambda: ((100 + 60 * picture(80, 90)).clip(0, 255).astype(np.uint8),)),
    "seams": (carve_seams, lambda: (picture(50, 60), 12)),
    "markov": (markov, lambda: (np.random.default_rng(2).integers(0, 8, 400), 6)),
    "ledger": (ledger, lambda: transfers(3000)),
    "graph": (graph, lambda: (network(150),)),
    "prices": (prices, lambda: (np.linspace(80, 130, 8), 100.0)),
    "forest": (forest, lambda: labelled(400)),
    "hull": (hull, lambda: (np.random.default_rng(3).normal(size=(1500, 2)), np.random.default_rng(4).normal(size=(2000, 2)) * 2)),
    "pack": (pack, lambda: ((np.random.default_rng(5).random((10, 60, 60)) < 0.1).astype(np.uint8),)),
    "connect_four": (connect_four, lambda: (6,)),
    "table": (table_report, lambda: (table_text(1500),)),
}
