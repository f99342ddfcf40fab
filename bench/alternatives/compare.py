#!/usr/bin/env python3
"""Decisions of olem beside what one would use instead: regressions of the outcomes on context and levers.

Simulates tasks whose truth is known (olem simulate), lets every method decide for the same contexts, and asks the
simulator for the true success of each decision (olem simulate evaluate). Prints Markdown. Finished decisions are lines
of --journal; the same command goes on after an interruption. --page puts the tables into a page, between the lines
"<!-- compare.py -->" and "<!-- end of compare.py -->". Needs Debian's python3-sklearn.
"""
import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import collections
import contextlib
import csv
import io
import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

KINDS = {
    "SynLrBeta": ["auf", "--family", "linear", "--noise", "beta"],
    "SynLrExp": ["auf", "--family", "linear", "--noise", "exponential"],
    "SynNlrBeta": ["auf", "--family", "mlp", "--noise", "beta"],
    "SynNlrExp": ["auf", "--family", "mlp", "--noise", "exponential"],
    "bermuda": ["bermuda"],
    "mixed": ["mixed"],
    "comfort": ["comfort"],
    "glucose": ["glucose"],
}
OLEM_METHODS = {
    "olem": [],
    "olem-quick": ["--quick"],
    "olem-0.1": ["--quick", "--like", "0.1"],
    "ges": ["--quick", "--graph-method", "ges"],
    "listen": ["--quick", "--method", "listen"],
    "olem-linear": ["--quick", "--sampler", "linear"],
    "olem-0.1-linear": ["--quick", "--like", "0.1", "--sampler", "linear"],
    "ges-linear": ["--quick", "--graph-method", "ges", "--sampler", "linear"],
    "listen-linear": ["--quick", "--method", "listen", "--sampler", "linear"],
}
LABELS = {
    "olem": "olem, the defaults (members)",
    "olem-quick": "olem, one fit",
    "olem-0.1": "olem, one fit, defaults of 0.1",
    "ges": "Grad-Rh, GES",
    "listen": "olem, order by LISTEN",
    "olem-linear": "olem, one fit, linear samplers",
    "olem-0.1-linear": "olem, one fit, linear samplers, defaults of 0.1",
    "ges-linear": "Grad-Rh, GES, linear samplers",
    "listen-linear": "olem, order by LISTEN, linear samplers",
    "linear": "linear regression",
    "gp": "Gaussian process",
    "boosting": "gradient boosting",
    "forest": "random forest",
    "none": "no action",
    "middle": "middle of every domain",
}
# Those with linear samplers are for linear tasks, where they tell orders and graphs apart at little cost.
DEFAULT = [method for method in LABELS if method != "olem-0.1" and not method.endswith("-linear")]
REGRESSIONS = ["linear", "gp", "boosting", "forest"]
FOLDS = 5
GP_ROWS = 300  # on which its hyper-parameters are sought; it is conditioned on all
CANDIDATES = 2000
REFINED = [(0.1, 200), (0.05, 200), (0.02, 200)]  # width of the steps in widths of the domain, how many
DRAWS = 5000  # of the simulator behind each true success
WORSE_BY = 0.01


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", default=",".join(KINDS), help="of tasks (default: all: %(default)s)")
    parser.add_argument("--methods", default=",".join(DEFAULT), help=f"of {', '.join(LABELS)}")
    parser.add_argument("--tasks", type=int, default=20, help="of each kind (default %(default)s)")
    parser.add_argument("--contexts", type=int, default=2, help="to decide for, per task (default %(default)s)")
    parser.add_argument("--rows", type=int, default=1000, help="of each table (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of every random draw (default %(default)s)")
    parser.add_argument("--olem", default="build/release/app/olem", help="the executable (default %(default)s)")
    parser.add_argument("--journal", default="against.jsonl", help="finished decisions (default %(default)s)")
    parser.add_argument("--page", help="a page to put the tables into, instead of printing them")
    parser.add_argument("--table-only", action="store_true", help="print what the journal has, run nothing")
    given = parser.parse_args()
    given.kinds = chosen(parser, given.kinds, KINDS)
    given.methods = chosen(parser, given.methods, LABELS)
    if given.tasks < 1 or given.contexts < 1:
        parser.error("--tasks and --contexts must be at least 1.")
    return given


def chosen(parser, text, known):
    names = text.split(",")
    for name in names:
        if name not in known:
            parser.error(f"'{name}' is none of {', '.join(known)}.")
    return names


def run_olem(given, words):
    """Standard output, and seconds of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.run([given.olem, *words, "-q"], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode not in (0, 4):  # 4: there is no decision for this task
        sys.exit(f"olem {' '.join(words)}: {process.stderr.strip()}")
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return process, seconds


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


class Task:
    """A simulated task: its table, roles and contexts."""

    def __init__(self, given, kind, index, folder):
        self.folder = str(folder)
        words = ["simulate", *KINDS[kind], "--seed", str(given.seed), "--index", str(index), "-o", self.folder]
        run_olem(given, [*words, "--rows", str(given.rows), "--rounds", str(given.contexts)])
        self.task = json.loads((folder / "task.json").read_text())
        with open(folder / "data.csv", newline="") as file:
            self.rows = list(csv.DictReader(file))
        with open(folder / "contexts.csv", newline="") as file:
            self.contexts = list(csv.DictReader(file))
        self.context = self.task["context"]
        self.levers = list(self.task["alterable"])
        self.outcomes = self.task["outcome"]

    def type_of(self, name):
        column = self.task.get("columns", {}).get(name, "real")
        return column if isinstance(column, str) else column["type"]

    def levels_of(self, name):
        column = self.task.get("columns", {}).get(name)
        return column.get("levels") if isinstance(column, dict) else None

    def domain(self, lever):
        """("range", low, high) or ("values", [...])."""
        domain = self.task["alterable"][lever]
        if isinstance(domain, dict):
            return ("values", domain["values"])
        return ("range", domain[0], domain[1])

    def holds(self, name, value):
        """Whether a recorded level is one that is desired."""
        desired = self.task["desired"][name]
        if isinstance(desired, dict):
            return value in desired["values"]
        return value == desired


# Regressions -----------------------------------------------------------------------------------------------------


class Features:
    """Context and levers as numbers: indicators of levels, logarithms of positive columns, standardised."""

    def __init__(self, task, numpy):
        self.task, self.numpy = task, numpy
        self.names = task.context + task.levers
        raw = self.raw({name: [row[name] for row in task.rows] for name in self.names})
        self.mean, self.deviation = raw.mean(0), raw.std(0)
        self.deviation[self.deviation == 0] = 1.0
        self.x = self.of({name: [row[name] for row in task.rows] for name in self.names})

    def raw(self, columns):
        blocks = []
        for name in self.names:
            levels = self.task.levels_of(name)
            if levels:
                blocks += [[1.0 if value == level else 0.0 for value in columns[name]] for level in levels[1:]]
            else:
                values = self.numpy.asarray(columns[name], dtype=float)
                blocks.append(self.numpy.log(values) if self.task.type_of(name) == "positive" else values)
        return self.numpy.array(blocks, dtype=float).T

    def of(self, columns):
        return (self.raw(columns) - self.mean) / self.deviation


class Outcome:
    """A numeric outcome on the scale on which it is modelled, or the indicator of the levels that are desired."""

    def __init__(self, task, name, numpy):
        self.numpy = numpy
        self.type = task.type_of(name)
        cells = [row[name] for row in task.rows]
        self.levels = task.levels_of(name) is not None
        if self.levels:
            self.y = numpy.array([1.0 if task.holds(name, cell) else 0.0 for cell in cells])
            return
        y = numpy.asarray(cells, dtype=float)
        low, high = task.task["desired"][name]
        self.low = -numpy.inf if low is None else low
        self.high = numpy.inf if high is None else high
        self.y = self.scaled(y)

    def scaled(self, y):
        if self.type == "positive":
            return self.numpy.log(y)
        if self.type == "share":
            y = self.numpy.clip(y, 1e-4, 1 - 1e-4)
            return self.numpy.log(y / (1 - y))
        return y

    def inside(self, y):
        if self.type == "positive":
            y = self.numpy.exp(y)
        if self.type == "share":
            y = 1 / (1 + self.numpy.exp(-y))
        if self.type == "count":
            y = self.numpy.maximum(0, self.numpy.rint(y))
        return (y >= self.low) & (y <= self.high)


class Fitted:
    """A regression: predictions, and residuals of rows that it has not seen."""

    def __init__(self, method, x, y, levels, seed):
        import numpy
        from sklearn import ensemble, exceptions, gaussian_process, linear_model
        from sklearn.model_selection import cross_val_predict

        self.probability = False
        constant = y.min() == y.max()
        if method == "gp":
            mean, deviation = y.mean(), y.std() or 1.0
            kernels = gaussian_process.kernels
            start = kernels.ConstantKernel(1.0, (1e-2, 1e3)) * kernels.RBF(
                numpy.full(x.shape[1], 3.0), (0.1, 1e3)
            ) + kernels.WhiteKernel(0.5, (1e-4, 1e1))
            some = numpy.random.default_rng(seed).permutation(len(y))[:GP_ROWS]
            z = (y - mean) / deviation
            with warnings.catch_warnings():
                # The length scale of an input that does not matter ends at its bound, as it should.
                warnings.simplefilter("ignore", exceptions.ConvergenceWarning)
                found = gaussian_process.GaussianProcessRegressor(start).fit(x[some], z[some])
            self.model = gaussian_process.GaussianProcessRegressor(found.kernel_, optimizer=None).fit(x, z)
            inverse = numpy.linalg.inv(self.model.L_ @ self.model.L_.T)
            self.residuals = deviation * self.model.alpha_.ravel() / numpy.diag(inverse)  # each row left out
            self.predict = lambda at: mean + deviation * self.model.predict(at)
            return
        if method == "forest":
            self.model = ensemble.RandomForestRegressor(
                300, min_samples_leaf=3, oob_score=True, n_jobs=1, random_state=seed
            ).fit(x, y)
            self.residuals = y - self.model.oob_prediction_
            self.predict = self.model.predict
            return
        classifies = levels and not constant
        if method == "linear":
            model = linear_model.LogisticRegression() if classifies else linear_model.LinearRegression()
        else:
            kind = ensemble.HistGradientBoostingClassifier if classifies else ensemble.HistGradientBoostingRegressor
            model = kind(random_state=seed)
        self.model = model.fit(x, y)
        if classifies:
            self.predict = lambda at: self.model.predict_proba(at)[:, 1]
            self.residuals = None
        else:
            self.residuals = y - cross_val_predict(model, x, y, cv=FOLDS)
            self.predict = self.model.predict


def decide_by_regression(method, task, seed):
    """For each context the values of the levers and the success that the regression claims."""
    import numpy

    features = Features(task, numpy)
    outcomes = [Outcome(task, name, numpy) for name in task.outcomes]
    fits = [Fitted(method, features.x, outcome.y, outcome.levels, seed) for outcome in outcomes]
    random = numpy.random.default_rng(seed)

    def success(candidates, context):
        count = len(candidates[task.levers[0]])
        columns = dict(candidates)
        columns.update({name: [context[name]] * count for name in task.context})
        at = features.of(columns)
        # Residuals of one row stay together: several outcomes are inside together. Levels have no residual.
        together = numpy.ones((count, len(features.x)), dtype=bool)
        probability = numpy.ones(count)
        for outcome, fit in zip(outcomes, fits):
            mean = fit.predict(at)
            if outcome.levels:
                probability *= numpy.clip(mean, 0, 1)
            else:
                together &= outcome.inside(mean[:, None] + fit.residuals[None, :])
        return probability * together.mean(1)

    def fresh(count):
        drawn = {}
        for lever in task.levers:
            domain = task.domain(lever)
            if domain[0] == "values":
                drawn[lever] = [domain[1][k] for k in random.integers(len(domain[1]), size=count)]
            else:
                drawn[lever] = list(random.uniform(domain[1], domain[2], size=count))
        return drawn

    def near(point, width, count):
        drawn = {}
        for lever in task.levers:
            domain = task.domain(lever)
            if domain[0] == "values":
                other = random.integers(len(domain[1]), size=count)
                moves = random.uniform(size=count) < 0.2
                drawn[lever] = [domain[1][k] if move else point[lever] for k, move in zip(other, moves)]
            else:
                step = width * (domain[2] - domain[1])
                drawn[lever] = list(numpy.clip(point[lever] + step * random.normal(size=count), domain[1], domain[2]))
        return drawn

    decisions = []
    for context in task.contexts:
        best, claimed = None, -1.0
        for width, count in [(None, CANDIDATES), *REFINED]:
            candidates = fresh(count) if width is None else near(best, width, count)
            values = success(candidates, context)
            k = int(numpy.argmax(values))
            if values[k] > claimed:
                best, claimed = {lever: candidates[lever][k] for lever in task.levers}, float(values[k])
        decisions.append((best, claimed))
    return decisions


# Decisions and their truth ---------------------------------------------------------------------------------------


def decide_by_olem(given, task, method):
    words = ["decide", f"{task.folder}/task.json", "--contexts", f"{task.folder}/contexts.csv"]
    words += ["--seed", str(given.seed), "--threads", "1", "--json"]
    process, seconds = run_olem(given, words + OLEM_METHODS[method])
    if process.returncode != 0:
        return [({}, None)] * len(task.contexts), seconds, process.stderr.strip().splitlines()[0]
    decisions = []
    for decision in json.loads(process.stdout)["decisions"]:
        values = {name: value for name, value in decision["alterations"].items() if value is not None}
        decisions.append((values, decision["success_probability"]))
    return decisions, seconds, None


def middle_of(task):
    values = {}
    for lever in task.levers:
        domain = task.domain(lever)
        if domain[0] == "range":
            values[lever] = (domain[1] + domain[2]) / 2
        elif all(number(value) is not None for value in map(str, domain[1])):
            values[lever] = sorted(domain[1])[(len(domain[1]) - 1) // 2]
        else:  # words have no middle: the most frequent
            values[lever] = collections.Counter(row[lever] for row in task.rows).most_common(1)[0][0]
    return values


def evaluate(given, task, context, values):
    words = ["simulate", "evaluate", f"{task.folder}/truth.json", "--draws", str(DRAWS), "--no-best", "--json"]
    words += ["--seed", str(given.seed), "--threads", "1"]
    for name in task.context:
        words += ["--context", f"{name}={context[name]}"]
    for name, value in values.items():
        words += ["--set", f"{name}={value}"]
    process, _ = run_olem(given, words)
    truth = json.loads(process.stdout)
    return truth["success"], truth["without_action"]


def run_method(given, task, method, index):
    refused = None
    if method in OLEM_METHODS:
        decisions, seconds, refused = decide_by_olem(given, task, method)
    else:
        start = time.process_time()
        if method == "none":
            decisions = [({}, None)] * len(task.contexts)
        elif method == "middle":
            decisions = [(middle_of(task), None)] * len(task.contexts)
        else:
            decisions = decide_by_regression(method, task, given.seed + index)
        seconds = time.process_time() - start
    truths = [evaluate(given, task, context, values) for context, (values, _) in zip(task.contexts, decisions)]
    return {
        "success": [truth[0] for truth in truths],
        "idle": [truth[1] for truth in truths],
        "claimed": [claim for _, claim in decisions],
        "seconds": seconds,
        "refused": refused,
    }


def run(given, journal):
    if any(method in REGRESSIONS for method in given.methods):
        try:
            import sklearn  # noqa: F401
        except ImportError:
            sys.exit(
                "scikit-learn is missing, which the regressions need: apt install python3-sklearn, and run this "
                "with /usr/bin/python3. --methods leaves them out."
            )
    done = {key_of(line) for line in journal}
    with open(given.journal, "a") as file:
        for index in range(given.tasks):
            for kind in given.kinds:
                keys = [(given.seed, given.rows, given.contexts, kind, index, method) for method in given.methods]
                if all(key in done for key in keys):
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    task = Task(given, kind, index, Path(folder) / "task")
                    for key in keys:
                        if key in done:
                            continue
                        line = dict(zip(("seed", "rows", "contexts", "kind", "task", "method"), key))
                        line.update(run_method(given, task, key[-1], index))
                        journal.append(line)
                        file.write(json.dumps(line) + "\n")
                        file.flush()


# Tables ----------------------------------------------------------------------------------------------------------


def key_of(line):
    return tuple(line[key] for key in ("seed", "rows", "contexts", "kind", "task", "method"))


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def standard_error(values):
    middle = mean(values)
    n = len(values)
    return (sum((value - middle) ** 2 for value in values) / (n - 1) / n) ** 0.5 if n > 1 else float("nan")


def short(value, digits=3, sign=False):
    text = f"{value:{'+' if sign else ''}.{digits}f}"
    return text.replace("0.", ".", 1) if text.lstrip("+-").startswith("0.") else text


def table_row(kind, method, lines):
    success = [value for line in lines for value in line["success"]]
    idle = [value for line in lines for value in line["idle"]]
    pairs = [(c, s) for line in lines for c, s in zip(line["claimed"], line["success"]) if c is not None]
    worse = mean(s < i - WORSE_BY for s, i in zip(success, idle))
    refused = sum(line["refused"] is not None for line in lines)
    claimed = short(mean(c for c, _ in pairs)) if pairs else ""
    gap = short(mean(abs(c - s) for c, s in pairs)) if pairs else ""
    label = LABELS[method] + (f" ({refused} refused)" if refused else "")
    seconds = mean(line["seconds"] for line in lines)
    return (
        f"| {kind} | {label} | {len(lines)} | {short(mean(success))} | {claimed} | {gap} | {100 * worse:.1f} % | "
        f"{seconds:.1f} |"
    )


def print_tables(given, journal):
    lines = collections.defaultdict(dict)
    for line in journal:
        if (line["seed"], line["rows"], line["contexts"]) != (given.seed, given.rows, given.contexts):
            continue
        if line["kind"] in given.kinds and line["method"] in given.methods and line["task"] < given.tasks:
            lines[line["kind"], line["method"]][line["task"]] = line
    print("| kind | method | tasks | true success | claimed | gap | worse than no action | seconds |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for kind in given.kinds:
        for method in given.methods:
            if lines[kind, method]:
                print(table_row(kind, method, list(lines[kind, method].values())))
    print_all(given, lines)
    print("\nDifference in true success per task, with its standard error, on the tasks that both have:\n")
    print("| kind | less | tasks | difference |\n| --- | --- | --- | --- |")
    for method in ("olem", "olem-quick", "olem-linear"):
        for other in given.methods:
            if method not in given.methods or other in (method, "none"):
                continue
            total = []
            for kind in given.kinds:
                both = sorted(set(lines[kind, method]) & set(lines[kind, other]))
                differences = [
                    mean(lines[kind, method][t]["success"]) - mean(lines[kind, other][t]["success"]) for t in both
                ]
                total += differences
                print_difference(kind, method, other, differences)
            print_difference("all", method, other, total)


def print_all(given, lines):
    """Every kind weighs the same; tasks that all methods have."""
    common = {}
    methods = [m for m in given.methods if any(lines[kind, m] for kind in given.kinds)]
    for kind in given.kinds:
        common[kind] = set.intersection(*(set(lines[kind, method]) for method in methods)) if methods else set()
    kinds = [kind for kind in given.kinds if common[kind]]
    if not kinds:
        return
    print(f"\nOn tasks that all methods have ({', '.join(f'{kind} {len(common[kind])}' for kind in kinds)}), ", end="")
    print("every kind with the same weight:\n")
    print("| method | true success | claimed | gap | worse than no action | seconds |")
    print("| --- | --- | --- | --- | --- | --- |")
    for method in methods:
        sums = collections.defaultdict(list)
        for kind in kinds:
            of_kind = [lines[kind, method][task] for task in sorted(common[kind])]
            success = [value for line in of_kind for value in line["success"]]
            idle = [value for line in of_kind for value in line["idle"]]
            pairs = [(c, s) for line in of_kind for c, s in zip(line["claimed"], line["success"]) if c is not None]
            sums["success"].append(mean(success))
            sums["worse"].append(mean(s < i - WORSE_BY for s, i in zip(success, idle)))
            sums["seconds"].append(mean(line["seconds"] for line in of_kind))
            if pairs:
                sums["claimed"].append(mean(c for c, _ in pairs))
                sums["gap"].append(mean(abs(c - s) for c, s in pairs))
        claimed = short(mean(sums["claimed"])) if sums["claimed"] else ""
        gap = short(mean(sums["gap"])) if sums["gap"] else ""
        print(
            f"| {LABELS[method]} | {short(mean(sums['success']))} | {claimed} | {gap} | {100 * mean(sums['worse']):.1f} "
            f"% | {mean(sums['seconds']):.1f} |"
        )


def print_difference(kind, method, other, differences):
    if len(differences) > 1:
        error = short(standard_error(differences))
        pair = f"{LABELS[method]} less {LABELS[other]}"
        print(f"| {kind} | {pair} | {len(differences)} | {short(mean(differences), sign=True)} ± {error} |")


def main():
    given = arguments()
    journal = []
    if Path(given.journal).exists():
        journal = [json.loads(line) for line in Path(given.journal).read_text().splitlines()]
    if not given.table_only:
        run(given, journal)
    if not given.page:
        return print_tables(given, journal)
    with io.StringIO() as tables, contextlib.redirect_stdout(tables):
        print_tables(given, journal)
        made = tables.getvalue()
    page = Path(given.page)
    begin, end = "<!-- compare.py -->\n", "<!-- end of compare.py -->\n"
    before, found, rest = page.read_text().partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        sys.exit(f"{given.page} has no lines {begin.strip()} and {end.strip()}.")
    page.write_text(before + begin + made + end + after)


if __name__ == "__main__":
    main()
