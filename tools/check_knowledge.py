#!/usr/bin/env python3
"""Checks knowledge/ (or the FOLDER given); prints faults as FILE: ID: MESSAGE and then exits with status 1."""
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "knowledge")
CLASSES = "nan-gradient oom slow-training slow-data metric-error repro-failure crash silent-error".split()
KINDS = "numerical code data hardware environment resource".split()
GROUPS = ("loss-series crash-text source kernel-log scheduler recorder environment launch data-ids checkpoint "
          "device host config").split()
ROLES = "failure symptom follower benign normal-end early-stop start resume context advice".split()
COSTS = "one-step tens-of-steps control two-runs long".split()
CHANGES = "removed renamed moved default-changed argument-required".split()
ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
CROSS_REFERENCE = re.compile(r"\[[a-z]{3}-\d\d\]|\b(section|table|row) \d")  # texts are read on their own

# text: not empty, no outer blanks; string: may be empty; texts, strings: lists of them; ids: texts without repetition.
# A trailing ? marks a key that may be missing.
def fields(**keys_of):
    return {key: kind for kind, keys in keys_of.items() for key in keys.split()}


SOURCE = fields(text="title how") | {"landed": bool}
AXIS = fields(text="id title changes proof void_when cost", texts="side_effects value_costs", ids="values aliases")
SMOKE = fields(text="id title", string="axis value")
FINDING = fields(text="id title recognised_by threshold group", texts="look_alikes", ids="sources symptom_of")
FINDING |= {"advice": bool}
CAUSE = fields(text="id class kind statement fix silences", ids="also cases requires excluded_by")
CAUSE |= {"prior": int, "validated": bool, "for": dict, "against": dict, "direct": dict, "shows": dict, "rivals": list}
SIGNATURE = fields(text="id finding? role meaning", string="pattern versions", ids="frameworks",
                   strings="literals also? samples counter_samples")
TABLES = {
    "api-changes": fields(text="id library name kind removed_in new_form error_text source date",
                          string="deprecated_in"),
    "known-bad": fields(text="id operation symptom work_around source date", texts="devices",
                        string="dtype library first_bad last_bad system")}
errors = []


class Entry(dict):
    """A table of a file together with the place to name in messages; only keys of the right type stay in it."""

    def __init__(self, path, id_, table, declared):
        super().__init__()
        self.path, self.id = path, id_
        known = {key.rstrip("?"): kind for key, kind in declared.items()}
        for key, value in table.items():
            if key not in known:
                self.error(f"unknown key {key!r}")
            elif self.is_sound(key, value, known[key]):
                self[key] = value
        for key in declared.keys() - table.keys():
            if not key.endswith("?"):
                self.error(f"key {key!r} is missing")

    def error(self, message):
        errors.append(f"{self.path.relative_to(ROOT)}: {self.id}: {message}")

    def is_sound(self, key, value, kind):
        if isinstance(kind, type):
            if type(value) is not kind:
                self.error(f"{key} must be of type {kind.__name__}")
            return type(value) is kind
        items = value if kind.endswith("s") else [value]
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            self.error(f"{key} must be a {'list of strings' if kind.endswith('s') else 'string'}")
            return False
        for item in items if kind in ("text", "texts", "ids") else []:
            if not item.strip() or item != item.strip():
                self.error(f"{key} holds an empty text or one with outer blanks: {item!r}")
            if CROSS_REFERENCE.search(item):
                self.error(f"{key} refers to a place outside this entry: {item!r}")
        if kind == "ids" and len(set(items)) != len(items):
            self.error(f"{key} names something twice")
        return True

    def known(self, key, values, names, what):
        for value in (value for value in values if value not in names):
            self.error(f"{key}: no {what} is called {value!r}")

    def not_empty(self, *keys):
        for key in (key for key in keys if not self.get(key, True)):
            self.error(f"{key} is empty")


def load(path):
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:  # damaged UTF-8 and TOML are both ValueErrors
        Entry(path, "-", {}, {}).error(f"cannot be read: {problem}")
        return {}


def entries(path, seen, **kinds):
    """Yields (name, entry) of every [[name]] table of a file; ids are unique within seen."""
    data = load(path)
    place = Entry(path, "-", {key: [] for key in data}, {f"{name}?": list for name in kinds})
    for name, declared in kinds.items():
        tables = data.get(name, [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            place.error(f"{name} must be written [[{name}]]")
            continue
        for number, table in enumerate(tables, 1):
            entry = Entry(path, str(table.get("id", f"{name} {number}")), table, declared)
            if "id" in declared:
                if not ID.fullmatch(entry.id):
                    entry.error("an id is written lower-case-with-dashes")
                if entry.id in seen:
                    entry.error(f"this {name} is declared in {seen[entry.id].name} already")
                seen[entry.id] = path
            yield name, entry


def check_axes():
    experiments = set()
    for name, entry in entries(ROOT / "axes.toml", {}, axis=AXIS, smoke=SMOKE):  # all axes come before all smokes
        if name == "axis":
            values, costs = entry.get("values", []), entry.get("value_costs", [])
            experiments |= {entry.id, *(f"{entry.id}={value}" for value in values)}
            entry.known("cost", [entry.get("cost"), *costs], COSTS, "cost")
            entry.not_empty("side_effects")
            if len(values) != len(costs):
                entry.error("value_costs must name one cost for each of values")
        elif entry.id != "baseline":
            entry.known("axis, value", [f"{entry.get('axis')}={entry.get('value')}"], experiments, "experiment")
    return experiments


def check_findings(sources):
    findings = {}
    for path in sorted((ROOT / "findings").glob("*.toml")):
        if path.stem.replace("_", "-") not in ("common", *CLASSES):
            Entry(path, "-", {}, {}).error("the file is named after no failure class")
        for _, finding in entries(path, findings, finding=FINDING):
            finding.known("sources", finding.get("sources", []), sources, "source")
            finding.known("group", [finding.get("group")], GROUPS, "group")
            finding.known("symptom_of", finding.get("symptom_of", []), CLASSES, "failure class")
            finding.not_empty("look_alikes", "sources")
            if finding.get("title", "").endswith("."):
                finding.error("a title has no full stop, because reports go on after it")
    return findings


def check_cause(cause, findings, experiments, causes):
    folder = cause.path.parent.name
    for key, name in (("id", cause.id), ("class", folder)):
        if cause.get(key) != name:
            cause.error(f"{key} is {cause.get(key)!r} and the path of the file says {name!r}")
    cause.known("class, also", [folder, *cause.get("also", [])], CLASSES, "failure class")
    cause.known("kind", [cause.get("kind")], KINDS, "kind")
    if not -7 <= cause.get("prior", -1) <= -1:
        cause.error("prior must lie between -7 and -1")
    for key in (key for key in ("statement", "fix", "silences") if not cause.get(key, ".").endswith(".")):
        cause.error(f"{key} must end with a full stop")
    for key, weights in (("for", range(1, 5)), ("against", range(-4, 0))):
        cause.known(key, cause.get(key, {}), findings, "finding")
        for finding, weight in cause.get(key, {}).items():
            if type(weight) is not int or weight not in weights:
                cause.error(f"{key}: the weight of {finding} must lie between {weights[0]} and {weights[-1]}")
    for finding in cause.get("for", {}).keys() & cause.get("against", {}).keys():
        cause.error(f"{finding} stands under for and under against")
    cause.known("requires, excluded_by", cause.get("requires", []) + cause.get("excluded_by", []), findings, "finding")
    check_direct(cause, cause.get("direct", {}), findings)
    shows = Entry(cause.path, cause.id, cause.get("shows", {}), fields(ids="gone changes stays not_applicable"))
    predicted = sum(shows.values(), [])
    cause.known("shows", predicted, experiments, "experiment")
    for name in {name for name in predicted if predicted.count(name) > 1}:
        cause.error(f"shows predicts two outcomes of {name}")
    cause.not_empty("rivals")
    for table in cause.get("rivals", []):
        rival = Entry(cause.path, cause.id, table, {"cause": "text", "separated_by": "text"})
        cause.known("rivals", [rival.get("cause")], causes.keys() - {cause.id}, "other cause")


def check_direct(cause, table, findings):
    if "none" in table:
        return Entry(cause.path, cause.id, table, {"none": "text"})
    direct = Entry(cause.path, cause.id, table, {"why": "text", "proof": list, "look_alike": list})
    direct.not_empty("proof", "look_alike")
    for part, key, declared in (("proof", "findings", {"findings": "ids"}),
                                ("look_alike", "excluded_by", {"is": "text", "excluded_by": "ids"})):
        for item in direct.get(part, []):
            entry = Entry(cause.path, cause.id, item, declared)
            entry.known(f"direct.{part}", entry.get(key, []), findings, "finding")
            if part == "proof":
                entry.not_empty(key)  # a proof without findings would always hold


def check_causes(findings, experiments):
    causes = {}
    for path in sorted((ROOT / "causes").glob("*/*.toml")):
        if table := load(path):
            causes.setdefault(path.stem, []).append(Entry(path, path.stem, table, CAUSE))
    for id_, same in causes.items():
        for cause in same:
            check_cause(cause, findings, experiments, causes)
        for cause in same[1:]:
            cause.error(f"this cause is declared in {same[0].path.parent.name}/ already")
    for name in CLASSES:
        if not any((ROOT / "causes" / name).glob("*.toml")):
            errors.append(f"causes/{name}: -: the class has no cause")
    return causes


def check_signature(signature, findings):
    signature.known("role", [signature.get("role")], ROLES, "role")
    signature.known("finding", [signature["finding"]] if "finding" in signature else [], findings, "finding")
    signature.not_empty("literals", "samples", "counter_samples")
    literals, also = signature.get("literals", []), signature.get("also", [""])
    for literal in (literal for literal in literals if len(literal.encode()) < 4):
        signature.error(f"the literal {literal!r} is shorter than 4 bytes, so it filters nothing")
    try:
        pattern = re.compile(signature.get("pattern", ""))
    except re.error as problem:
        return signature.error(f"the pattern does not compile: {problem}")
    def tried(line):
        return any(literal in line for literal in literals) and any(text in line for text in also)

    for sample in signature.get("samples", []):
        if not tried(sample) or not pattern.search(sample):
            signature.error(f"the pattern or every literal misses the sample {sample!r}")
    for sample in signature.get("counter_samples", []):
        if pattern.search(sample) and tried(sample):
            signature.error(f"the counter sample matches: {sample!r}")


def main():
    sources = ROOT / "sources.toml"
    sources = {id_: Entry(sources, id_, source, SOURCE) for id_, source in load(sources).items()}
    findings, signatures = check_findings(sources), {}
    causes = check_causes(findings, check_axes())
    for path in sorted((ROOT / "signatures").glob("*.toml")):
        for _, signature in entries(path, signatures, signature=SIGNATURE):
            check_signature(signature, findings)
    for _, consequence in entries(ROOT / "consequences.toml", {}, consequence=fields(text="first then because")):
        ends = [consequence.get("first"), consequence.get("then")]
        consequence.known("first, then", ends, {*CLASSES, *findings}, "failure class or finding")
    for path in sorted((ROOT / "tables").glob("*.toml")):
        for _, row in entries(path, {}, row=TABLES.get(path.stem, {})):
            if not re.fullmatch(r"\d{4}-\d\d-\d\d", row.get("date", "")):
                row.error("date must be written YYYY-MM-DD")
            if path.stem == "api-changes":
                row.known("kind", [row.get("kind")], CHANGES, "kind of change")
    if errors:
        sys.exit("\n".join([*sorted(errors), f"check_knowledge: {len(errors)} errors"]))
    print(f"check_knowledge: {len(causes)} causes, {len(findings)} findings and {len(signatures)} signatures are sound")


if __name__ == "__main__":
    main()
