"""Games, puzzles and ways through graphs, as people write them with NumPy; ``PROGRAMS``: entries, with what makes their arguments."""

from __future__ import annotations

import heapq
import io
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

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


SUDOKU = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"


def network(n: int) -> np.ndarray:
    rng = np.random.default_rng(5)
    return rng.random((n, n)) * (rng.random((n, n)) < 0.1)


PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = {
    "tictactoe": (tictactoe, lambda: (np.array([[1, 0, 0], [0, -1, 0], [0, 0, 0]]),)),
    "maze": (maze_way, lambda: (20, 1)),
    "sudoku": (sudoku, lambda: (SUDOKU,)),
    "connect_four": (connect_four, lambda: (6,)),
    "graph": (graph, lambda: (network(150),)),
    "hull": (hull, lambda: (np.random.default_rng(3).normal(size=(1500, 2)), np.random.default_rng(4).normal(size=(2000, 2)) * 2)),
}
