"""Every statistic against an independent implementation (NumPy and SciPy), on random inputs."""
import os
import subprocess
import unittest

import numpy
from scipy import special, stats

RUNS = 300


class Statistics(unittest.TestCase):
    def setUp(self):
        self.random = numpy.random.default_rng(numpy.frombuffer(self.id().encode(), dtype=numpy.uint8))

    def compare(self, what, inputs, expected, relative=1e-9, absolute=1e-290):
        """Ours and theirs agree to a relative 1e-9, down to the smallest probabilities."""
        lines = "".join(what + "".join(f" {float(x)!r}" for x in numpy.ravel(i)) + "\n" for i in inputs)
        out = subprocess.run([os.environ["ORACLE"]], input=lines, capture_output=True, text=True, check=True)
        rows = [[float(x) for x in row.split()] for row in out.stdout.splitlines()]
        self.assertEqual(len(rows), len(inputs))
        for i, ours in zip(inputs, rows):
            theirs = numpy.ravel(expected(*i))
            self.assertEqual(len(ours), len(theirs), (what, i))
            numpy.testing.assert_allclose(ours, theirs, rtol=relative, atol=absolute, err_msg=f"{what} {i}")

    def samples(self, least=1):
        return [[self.random.lognormal(0, 1, self.random.integers(least, 65))] for _ in range(RUNS)]

    def test_median_and_deviation(self):
        self.compare("median", self.samples(), numpy.median)
        self.compare("deviation", self.samples(2), lambda v: numpy.std(v, ddof=1))

    def test_quantiles(self):
        inputs = [[numpy.append(q, v[0])] for q, v in zip(self.random.random(RUNS), self.samples())]
        self.compare("quantile", inputs, lambda v: numpy.quantile(v[1:], v[0]))

    def test_interval_of_the_median(self):
        def expected(v):
            k = int(stats.binom.ppf(0.025, len(v), 0.5))  # the largest rank whose tails hold 2.5 % at most
            while stats.binom.cdf(k - 1, len(v), 0.5) > 0.025:
                k -= 1
            ordered = numpy.sort(v)
            return ordered[k - 1], ordered[len(v) - k]
        self.compare("median_interval", self.samples(6), expected)

    def test_interval_that_holds_at_every_look(self):
        def expected(n):
            # The mixture over all coins.
            n = int(n)
            bets = [stats.betabinom.pmf(k, n, 0.5, 0.5) / special.comb(n, k) * 2.0 ** n for k in range(n // 2 + 1)]
            dropped = 0
            while 2 * dropped < n and bets[dropped] >= 20:
                dropped += 1
            return (dropped - 1, n - dropped) if dropped else (-1, -1)
        self.compare("anytime_ranks", [(n,) for n in range(1, 200)], expected)

    def test_incomplete_beta(self):
        inputs = [(10 ** self.random.uniform(-1, 4), 10 ** self.random.uniform(-1, 4), self.random.random())
                  for _ in range(RUNS)]
        self.compare("incomplete_beta", inputs, special.betainc)

    def test_normal(self):
        self.compare("normal_above", [(z,) for z in self.random.uniform(-8, 36, RUNS)], stats.norm.sf)
        self.compare("normal_exceeded_by", [(10 ** self.random.uniform(-200, -0.01),) for _ in range(RUNS)],
                     stats.norm.isf)

    def test_student(self):
        freedom = lambda: 10 ** self.random.uniform(0, 4)
        self.compare("student_above", [(self.random.uniform(-9, 60), freedom()) for _ in range(RUNS)],
                     lambda t, f: special.stdtr(f, -t))
        def exceeded_by(p, f):
            t = stats.t.isf(p, f)  # good to some 1e-9; two steps of Newton's method make it exact
            for _ in range(2):
                t += (special.stdtr(f, -t) - p) / stats.t.pdf(t, f)
            return t
        self.compare("student_exceeded_by", [(10 ** self.random.uniform(-12, -0.01), freedom()) for _ in range(RUNS)],
                     exceeded_by)

    def test_binomial(self):
        inputs = []
        for _ in range(RUNS):
            n = int(10 ** self.random.uniform(0, 6))
            p = 10 ** self.random.uniform(-4, -0.01)
            inputs.append((min(n, int(n * p + self.random.uniform(0, 6) * (n * p) ** 0.5)), n, p))
        self.compare("binomial_at_least", inputs, lambda k, n, p: stats.binom.sf(k - 1, n, p))

    def test_hypergeometric(self):
        inputs = []
        for _ in range(RUNS):
            n = int(self.random.integers(2, 1025))
            marked, drawn = (int(self.random.integers(0, n + 1)) for _ in range(2))
            inputs.append((int(self.random.integers(0, min(marked, drawn) + 1)), n, marked, drawn))
        self.compare("hypergeometric_at_least", inputs, lambda k, n, m, d: stats.hypergeom.sf(k - 1, n, m, d))

    def test_places_beside_each_other(self):
        """Rosner's procedure from its description, the slow and plain way."""
        def chance(x, error, others, usual):
            n, d = len(others), numpy.mean(others) - x
            extra = max(0.0, error ** 2 - usual)
            s2 = numpy.var(others, ddof=1) if n > 1 else 0.0
            by_t = stats.t.sf(d / numpy.sqrt(max(s2, 1e-8) * (1 + 1 / n) + extra), n - 1) if n > 1 else 1.0
            if n >= 256:
                return by_t
            by_z = stats.norm.sf(d / numpy.sqrt(max(s2, 0.05 ** 2) * (1 + 1 / n) + extra))
            return min(1.0, 2 * min(by_t, by_z))

        def expected(*v):
            level, x, e = v[0], numpy.array(v[1::2]), numpy.array(v[2::2])
            usual, order = numpy.median(e ** 2), numpy.argsort(x, kind="stable")
            low = 0
            for k in range(len(x) // 2):
                if chance(x[order[k]], e[order[k]], x[order[k + 1:]], usual) < level:
                    low = k + 1
            kept = order[low:]
            noise = numpy.mean(e[kept] ** 2)
            spread = numpy.var(x[kept], ddof=1) if len(kept) > 1 else 0.0
            out = [numpy.median(x[kept]), max(0.0, spread - noise) ** 0.5, noise ** 0.5]
            for i in order[:low]:
                out += [i, out[0] - x[i], chance(x[i], e[i], x[kept], usual)]
            return out

        inputs = []
        for _ in range(RUNS):
            n = int(self.random.integers(2, 40) if len(inputs) % 20 else self.random.integers(250, 300))
            x = 25 + 10 ** self.random.uniform(-3, -1) * self.random.standard_normal(n)
            x[self.random.random(n) < 0.1] -= self.random.uniform(0, 0.7)
            e = 10 ** self.random.uniform(-4, -2, n)
            inputs.append([10 ** self.random.uniform(-6, -1), *numpy.column_stack([x, e]).ravel()])
        self.compare("compare_places", inputs, expected, relative=1e-7)  # a difference of near numbers

    def test_changes_from_run_to_run(self):
        """Pooled and moderated t-tests on logarithms, written from their description."""
        def move(beyond, sure, usual, matters):
            if abs(beyond) >= matters and abs(beyond) > sure:
                return 0 if beyond < 0 else 1
            return 2 if abs(beyond) + usual < matters else 3

        def expected(*v):
            n, k, m = (int(x) for x in v[:3])
            before = numpy.log(numpy.array(v[3:3 + n * k]).reshape(n, k))
            after = numpy.log(numpy.array(v[3 + n * k:]).reshape(n, m))
            shifts = after.mean(axis=1) - before.mean(axis=1)
            common, freedom = numpy.median(shifts), n * (k + m - 2)
            squares = lambda x: ((x - x.mean(axis=-1, keepdims=True)) ** 2).sum()
            deviation = lambda total, df: max(1e-3, (total / df) ** 0.5)
            less_steady = lambda own, wide, d, e: stats.f.sf((own / wide) ** 2, d, e) < 0.01
            pooled = deviation(squares(before) + squares(after), freedom)
            level, root = 0.005 / (n + 1), (1 / k + 1 / m) ** 0.5

            def change(shift, beyond, spread, df, matters):
                usual, sure = (spread * root * stats.t.isf(p, df) for p in (0.025, level))
                interval = numpy.expm1([shift, shift - usual, shift + usual])
                return [*interval, move(beyond, sure, usual, numpy.log1p(matters))]

            if n < 3:
                return change(common, common, pooled, freedom, 0.05) + change(
                    shifts[0], shifts[0], pooled, freedom, 0.05)
            together = [numpy.median(x - x.mean(axis=1, keepdims=True), axis=0) for x in (before, after)]
            own = deviation(sum(squares(x) for x in together), k + m - 2)
            prior = 1.2533 * pooled / n ** 0.5
            wide = deviation(sum(squares(x) for x in together) + 4 * prior ** 2, k + m + 2)
            all_places = change(common, common, own if less_steady(own, wide, k + m - 2, k + m + 2) else wide,
                                k + m + 2, 0.4 * 0.05)
            own = deviation(squares(before[:1]) + squares(after[:1]), k + m - 2)
            return all_places + change(shifts[0], shifts[0] - common,
                                       own if less_steady(own, pooled, k + m - 2, freedom) else pooled, freedom, 0.05)

        inputs = []
        for _ in range(RUNS):
            n, k, m = self.random.integers(1, 12), self.random.integers(3, 6), self.random.integers(3, 6)
            level, noise = 25 * self.random.lognormal(0, 0.1, n), 10 ** self.random.uniform(-3, -1)
            before = level.repeat(k) * self.random.lognormal(0, noise, n * k)
            after = level.repeat(m) * self.random.lognormal(0, noise, n * m) * self.random.choice([1, 0.95, 1.1])
            inputs.append([float(n), float(k), float(m), *before, *after])
        self.compare("changes", inputs, expected, absolute=1e-9)  # differences of near numbers


if __name__ == "__main__":
    unittest.main()
