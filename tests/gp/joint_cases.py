"""Joint data and hyper-parameters to test with; a dense covariance of single values, slow and obvious."""

import numpy as np

from gp.cases import correlation, data_of, normal_log_density
from pfes.gp.multitask import JointHyper

GROUPS = np.array([0, 1, 1])


def joint_hyper(rng, objectives, kind="coregional", kernel="matern52", share=0.4, groups=2):
    """Random hyper-parameters: "coregional" has one kernel, "latent" one for each mixed function, "both" two of two."""
    parts, functions = {"coregional": (1, objectives + 1), "latent": (objectives, objectives), "both": (2, 4)}[kind]
    return JointHyper(
        kernel,
        np.exp(rng.normal(-0.3, 0.4, (parts, groups))),
        np.full(parts, share) if share in {0.0, 1.0} else rng.uniform(0.1, 0.9, parts),
        rng.normal(size=(objectives, functions)) + 0.1,
        np.arange(functions) % parts,
        np.exp(rng.uniform(-5, -1, objectives)),
        rng.normal(size=objectives),
    )


def joint_data(rng, sizes, width=3, shared=False):
    """Random data of objectives with so many points each; shared: the same points, as far as they go."""
    points = rng.random((max(sizes, default=0), width))
    found = []
    for l, n in enumerate(sizes):
        x = points[:n] if shared else rng.random((n, width))
        found.append(data_of(x, np.sin(4.0 * x + l).sum(axis=1) + 0.1 * rng.normal(size=n)))
    return found


def dense_joint(a, a_task, b, b_task, groups, hyper):
    """Prior covariance of single values, one pair and one mixed function at a time."""
    out = np.zeros((len(a), len(b)))
    for i, (u, l) in enumerate(zip(a, a_task, strict=True)):
        for j, (v, m) in enumerate(zip(b, b_task, strict=True)):
            for f, q in enumerate(hyper.part):
                gap, w = (u - v) / hyper.scales[q][groups], hyper.additive[q]
                main = [correlation(np.linalg.norm(gap[groups == g]), hyper.kernel) for g in range(groups.max() + 1)]
                k = (1 - w) * correlation(np.linalg.norm(gap), hyper.kernel) + w * np.mean(main)
                out[i, j] += hyper.mixing[l, f] * hyper.mixing[m, f] * k
    return out


def rows_of(data, hyper):
    """All single values: points (n, D), objectives (n,), values (n,), noise variances (n,)."""
    task = np.repeat(np.arange(len(data)), [len(d.y) for d in data])
    noise = [np.where(np.isnan(d.noise), hyper.noise[l] / d.count, d.noise) for l, d in enumerate(data)]
    return np.concatenate([d.x for d in data]), task, np.concatenate([d.y for d in data]), np.concatenate(noise)


def dense_joint_likelihood(data, groups, hyper):
    x, task, y, noise = rows_of(data, hyper)
    return normal_log_density(y, hyper.mean[task], dense_joint(x, task, x, task, groups, hyper) + np.diag(noise))


def dense_joint_posterior(rows, candidates, groups, hyper):
    """Means (N, L) and covariance (N, L, N, L) at the candidates (N, D), by plain matrix algebra."""
    x, task, y, noise = rows
    many, every = len(candidates), len(hyper.noise)
    at, of = np.repeat(candidates, every, axis=0), np.tile(np.arange(every), many)
    joint = dense_joint(x, task, x, task, groups, hyper) + np.diag(noise)
    cross = dense_joint(at, of, x, task, groups, hyper)
    mean = hyper.mean[of] + cross @ np.linalg.solve(joint, y - hyper.mean[task])
    covariance = dense_joint(at, of, at, of, groups, hyper) - cross @ np.linalg.solve(joint, cross.T)
    return mean.reshape(many, every), covariance.reshape(many, every, many, every)
