"""A Kalman filter follows a ship by its noisy places: a scan whose state is a mean and a covariance.

How strongly it accelerates is found by the gradient.
"""

import numpy

import fastnp as np

DT, SEEN = 1.0, 4.0  # seconds between two measurements, and the deviation of these
MOVE = numpy.array([[1, 0, DT, 0], [0, 1, 0, DT], [0, 0, 1, 0], [0, 0, 0, 1]])
PUSH = numpy.array([[DT**2 / 2, 0], [0, DT**2 / 2], [DT, 0], [0, DT]])
SEE = numpy.eye(2, 4)


def follow(log_push, places):
    """For a deviation of the accelerations: means, covariances, and the log-likelihood of the places."""

    def step(state, place):
        mean, covariance = state
        mean = MOVE @ mean
        covariance = MOVE @ covariance @ MOVE.T + np.exp(2 * log_push) * (PUSH @ PUSH.T)
        spread = SEE @ covariance @ SEE.T + SEEN**2 * np.eye(2)
        inverse = np.linalg.inv(spread)
        gain = covariance @ SEE.T @ inverse
        missed = place - SEE @ mean
        mean = mean + gain @ missed
        covariance = covariance - gain @ SEE @ covariance
        likelihood = -0.5 * (missed @ inverse @ missed + np.log(np.linalg.det(2 * np.pi * spread)))
        return (mean, covariance), (mean, covariance, likelihood)

    start = np.concatenate([places[0], np.zeros(2)]), 100.0 * np.eye(4)
    _, (means, covariances, likelihoods) = np.scan(step, start, places)
    return means, covariances, np.sum(likelihoods)


filtered = np.compile(follow)
slope = np.compile(np.value_and_grad(lambda log_push, places: -follow(log_push, places)[2]))

rng = np.random.default_rng(3)
pushes, noise = 0.4 * rng.standard_normal((300, 2)), SEEN * rng.standard_normal((300, 2))
velocity = numpy.array([3.0, 1.0]) + numpy.cumsum(pushes, axis=0)
track = numpy.cumsum(velocity, axis=0)
places = track + noise

log_push = 0.0  # a deviation of 1, to begin with
for _ in range(60):
    surprise, gradient = slope(log_push, places)
    log_push -= 0.01 * float(gradient)
means, covariances, likelihood = filtered(log_push, places)


def error(x):
    return float(numpy.sqrt(numpy.mean(numpy.sum((x[20:] - track[20:]) ** 2, axis=1))))


push = float(numpy.exp(log_push))
assert error(means[:, :2]) < 0.75 * error(places) and abs(push - 0.4) < 0.1
print(f"kalman: places are {error(places):.4f} off as measured, {error(means[:, :2]):.4f} filtered")
print(f"kalman: accelerations of {push:.4f} at a likelihood of exp({float(likelihood):.3f})")
