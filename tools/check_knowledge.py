#!/usr/bin/env python3
"""Checks every file of knowledge/ and prints what is wrong as FILE: ID: MESSAGE; exit status 1 if anything is.

Usage: tools/check_knowledge.py [FOLDER]      (default: the knowledge/ folder beside tools/)
"""
import datetime
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "knowledge"
CLASSES = ("nan-gradient", "oom", "slow-training", "slow-data", "metric-error", "repro-failure", "crash", "silent-error")
KINDS = ("numerical", "code", "data", "hardware", "environment", "resource")
GROUPS = ("loss-series", "crash-text", "source", "kernel-log", "scheduler", "recorder", "environment", "launch",
          "data-ids", "checkpoint", "device", "host", "config")
ROLES = ("failure", "symptom", "follower", "benign", "normal-end", "early-stop", "start", "resume", "context", "advice")
COSTS = ("one-step", "tens-of-steps", "control", "two-runs", "long")
CHANGE_KINDS = ("removed", "renamed", "moved", "default-changed", "argument-required")
ID = re.compile(r"[a-z0-9]+(-[a-z0-9.]+)*")
MINIMUM_LITERAL = 4
# An artifact's own identifiers look like nothing here; these would tie a text to the notes it came from.
CROSS_REFERENCE = re.compile(r"\[[a-z]{3}-\d\d\]|\b(section|table|row) \d|\(\d{1,2}\.\d{1,2}\)")

errors = []


def error(path, id_, message):
    errors.append(f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}: {id_}: {message}")


def load(path):
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        error(path, "-", f"cannot be read: {problem}")
        return {}


# A field is (type, required); the types "text", "texts" and "ids" forbid empty strings and trailing blanks.
def check_fields(path, id_, table, fields):
    if not isinstance(table, dict):
        return error(path, id_, "must be a table")
    for key in table.keys() - fields.keys():
        error(path, id_, f"unknown key {key!r}")
    for key, (kind, required) in fields.items():
        if key not in table:
            if required:
                error(path, id_, f"key {key!r} is missing")
            continue
        value = table[key]
        if kind in ("text", "string"):
            if not isinstance(value, str):
                error(path, id_, f"{key} must be a string")
            elif kind == "text":
                check_text(path, id_, key, value)
        elif kind in ("texts", "ids"):
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                error(path, id_, f"{key} must be a list of strings")
                table[key] = []
                continue
            for item in value:
                check_text(path, id_, key, item) if kind == "texts" else check_id(path, id_, key, item)
            if len(set(value)) != len(value):
                error(path, id_, f"{key} names something twice")
        elif kind == "patterns":
            if not isinstance(value, list) or not value or not all(isinstance(item, str) and item for item in value):
                error(path, id_, f"{key} must be a non-empty list of non-empty strings")
                table[key] = []
        elif not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            error(path, id_, f"{key} must be of type {kind.__name__}")


def check_text(path, id_, key, value):
    if not value.strip():
        error(path, id_, f"{key} holds an empty text")
    elif value != value.strip():
        error(path, id_, f"{key} begins or ends with a blank: {value!r}")
    if CROSS_REFERENCE.search(value):
        error(path, id_, f"{key} refers to a place outside this entry: {value!r}")


def check_id(path, id_, key, value):
    if not ID.fullmatch(re.sub(r"=[A-Za-z0-9-]+$", "", value)):
        error(path, id_, f"{key}: {value!r} is not an id")


def check_known(path, id_, key, values, known, what):
    for value in values:
        if value not in known:
            error(path, id_, f"{key}: no {what} is called {value!r}")


def entries(path, name, *others):
    data = load(path)
    for key in data.keys() - {name, *others}:
        error(path, "-", f"unknown key {key!r}")
    found = data.get(name, [])
    if not isinstance(found, list):
        error(path, "-", f"{name} must be written [[{name}]]")
        return []
    return [entry for entry in found if isinstance(entry, dict)]


def unique(path, entry, seen, what):
    id_ = entry.get("id")
    if not isinstance(id_, str) or not ID.fullmatch(id_):
        error(path, str(id_), "id must be lower-case-with-dashes")
        return "?"
    if id_ in seen:
        error(path, id_, f"this {what} is declared in {seen[id_].name} already")
    seen[id_] = path
    return id_


def check_sources():
    path, sources = ROOT / "sources.toml", load(ROOT / "sources.toml")
    for id_, source in sources.items():
        check_fields(path, id_, source, {"title": ("text", True), "landed": (bool, True), "how": ("text", True)})
    return sources


def check_axes():
    path, axes, experiments, smokes = ROOT / "axes.toml", {}, set(), {}
    fields = {"id": ("text", True), "title": ("text", True), "changes": ("text", True), "side_effects": ("texts", True),
              "proof": ("text", True), "void_when": ("text", True), "cost": ("text", True), "values": ("texts", True),
              "aliases": ("texts", True), "value_cost": (dict, False)}
    for axis in entries(path, "axis", "smoke"):
        id_ = unique(path, axis, axes, "axis")
        check_fields(path, id_, axis, fields)
        values = axis.get("values", [])
        experiments |= {id_, *(f"{id_}={value}" for value in values)}
        check_known(path, id_, "cost", [axis.get("cost"), *axis.get("value_cost", {}).values()], COSTS, "cost")
        check_known(path, id_, "value_cost", axis.get("value_cost", {}), values, "value of this axis")
        if not axis.get("side_effects"):
            error(path, id_, "an axis without any side effect is not credible")
    for smoke in entries(path, "smoke", "axis"):
        id_ = unique(path, smoke, smokes, "smoke")
        check_fields(path, id_, smoke, {"id": ("text", True), "title": ("text", True), "axis": ("string", True), "value": ("string", True)})
        if id_ != "baseline" and f"{smoke.get('axis')}={smoke.get('value')}" not in experiments:
            error(path, id_, f"no axis {smoke.get('axis')!r} has the value {smoke.get('value')!r}")
    return experiments


def check_findings(sources):
    findings = {}
    fields = {"id": ("text", True), "title": ("text", True), "recognised_by": ("text", True), "threshold": ("text", True),
              "look_alikes": ("texts", True), "sources": ("ids", True), "group": ("text", True),
              "symptom_of": ("ids", True), "advice": (bool, True)}
    for path in sorted((ROOT / "findings").glob("*.toml")):
        if path.stem not in ("common", *(name.replace("-", "_") for name in CLASSES)):
            error(path, "-", "the file is named after no failure class")
        for finding in entries(path, "finding"):
            id_ = unique(path, finding, findings, "finding")
            check_fields(path, id_, finding, fields)
            check_known(path, id_, "sources", finding.get("sources", []), sources, "source")
            check_known(path, id_, "group", [finding.get("group")], GROUPS, "group")
            check_known(path, id_, "symptom_of", finding.get("symptom_of", []), CLASSES, "failure class")
            for key in ("look_alikes", "sources"):
                if not finding.get(key):
                    error(path, id_, f"{key} is empty")
            if str(finding.get("title", "")).endswith("."):
                error(path, id_, "a title has no full stop, because reports go on after it")
            findings[id_] = path
    return findings


def check_cause(path, cause, findings, experiments, causes):
    id_ = path.stem
    check_fields(path, id_, cause, {
        "id": ("text", True), "class": ("text", True), "also": ("ids", True), "kind": ("text", True), "prior": (int, True),
        "validated": (bool, True), "statement": ("text", True), "fix": ("text", True), "silences": ("text", True),
        "cases": ("texts", True), "requires": ("ids", True), "excluded_by": ("ids", True), "for": (dict, True),
        "against": (dict, True), "direct": (dict, True), "shows": (dict, True), "rivals": (list, True)})
    if cause.get("id") != id_:
        error(path, id_, f"the id is {cause.get('id')!r}, the file is called {path.name}")
    if cause.get("class") != path.parent.name:
        error(path, id_, f"class {cause.get('class')!r} does not agree with the folder {path.parent.name!r}")
    check_known(path, id_, "class", [path.parent.name, *cause.get("also", [])], CLASSES, "failure class")
    check_known(path, id_, "kind", [cause.get("kind")], KINDS, "kind")
    if not -7 <= cause.get("prior", -3) <= -1:
        error(path, id_, "prior must lie between -7 and -1")
    for key in ("statement", "fix", "silences"):
        if not str(cause.get(key, ".")).endswith("."):
            error(path, id_, f"{key} must be a sentence and end with a full stop")
    for key in ("requires", "excluded_by"):
        check_known(path, id_, key, cause.get(key, []), findings, "finding")
    for key, lowest, highest in (("for", 1, 4), ("against", -4, -1)):
        check_known(path, id_, key, cause.get(key, {}), findings, "finding")
        for finding, weight in cause.get(key, {}).items():
            if not isinstance(weight, int) or isinstance(weight, bool) or not lowest <= weight <= highest:
                error(path, id_, f"{key}: the weight of {finding} must be a whole number from {lowest} to {highest}")
    for finding in cause.get("for", {}).keys() & cause.get("against", {}).keys():
        error(path, id_, f"{finding} stands under for and against")
    check_direct(path, id_, cause.get("direct", {}), findings)
    shows = cause.get("shows", {})
    check_fields(path, id_, shows, {key: ("texts", True) for key in ("gone", "changes", "stays", "not_applicable")})
    predicted = [name for outcome in shows.values() for name in outcome]
    check_known(path, id_, "shows", predicted, experiments, "experiment")
    for name in {name for name in predicted if predicted.count(name) > 1}:
        error(path, id_, f"shows predicts two outcomes of {name}")
    if not cause.get("rivals"):
        error(path, id_, "rivals is empty")
    for rival in cause.get("rivals", []):
        check_fields(path, id_, rival, {"cause": ("text", True), "separated_by": ("text", True)})
        check_known(path, id_, "rivals", [rival.get("cause")], causes.keys() - {id_}, "other cause")


def check_direct(path, id_, direct, findings):
    if "none" in direct:
        return check_fields(path, id_, direct, {"none": ("text", True)})
    check_fields(path, id_, direct, {"why": ("text", True), "proof": (list, True), "look_alike": (list, True)})
    for proof in direct.get("proof", []):
        check_fields(path, id_, proof, {"findings": ("ids", True)})
        check_known(path, id_, "direct.proof", proof.get("findings", []), findings, "finding")
        if not proof.get("findings"):
            error(path, id_, "a proof without findings would always hold")
    for look_alike in direct.get("look_alike", []):
        check_fields(path, id_, look_alike, {"is": ("text", True), "excluded_by": ("ids", True)})
        check_known(path, id_, "direct.look_alike", look_alike.get("excluded_by", []), findings, "finding")


def check_causes(findings, experiments):
    causes = {}
    for path in sorted((ROOT / "causes").glob("*/*.toml")):
        if path.stem in causes:
            error(path, path.stem, f"this cause is declared in {causes[path.stem].parent.name}/ already")
        causes[path.stem] = path
    for path in causes.values():
        check_cause(path, load(path), findings, experiments, causes)
    for name in CLASSES:
        if not any(path.parent.name == name for path in causes.values()):
            error(ROOT / "causes" / name, "-", "the class has no cause")
    return causes


def check_signatures(findings):
    seen = {}
    fields = {"id": ("text", True), "finding": ("text", False), "role": ("text", True), "literals": ("patterns", True),
              "pattern": (str, True), "meaning": ("text", True), "frameworks": ("texts", True), "versions": ("string", True),
              "samples": ("patterns", True), "counter_samples": ("patterns", True)}
    for path in sorted((ROOT / "signatures").glob("*.toml")):
        for signature in entries(path, "signature"):
            id_ = unique(path, signature, seen, "signature")
            check_fields(path, id_, signature, fields)
            check_known(path, id_, "role", [signature.get("role")], ROLES, "role")
            if "finding" in signature:
                check_known(path, id_, "finding", [signature["finding"]], findings, "finding")
            literals = signature.get("literals", [])
            for literal in literals:
                if len(literal.encode()) < MINIMUM_LITERAL:
                    error(path, id_, f"the literal {literal!r} is shorter than {MINIMUM_LITERAL} bytes")
            try:
                pattern = re.compile(signature.get("pattern", ""))
            except re.error as problem:
                error(path, id_, f"the pattern does not compile: {problem}")
                continue
            for sample in signature.get("samples", []):
                if not any(literal in sample for literal in literals):
                    error(path, id_, f"no literal stands in the sample {sample!r}")
                if not pattern.search(sample):
                    error(path, id_, f"the pattern misses the sample {sample!r}")
            for sample in signature.get("counter_samples", []):
                if pattern.search(sample) and any(literal in sample for literal in literals):
                    error(path, id_, f"the counter sample matches: {sample!r}")


def check_consequences(known):
    path = ROOT / "consequences.toml"
    for number, entry in enumerate(entries(path, "consequence"), 1):
        id_ = f"consequence {number}"
        check_fields(path, id_, entry, {"first": ("text", True), "then": ("text", True), "because": ("text", True)})
        for key in ("first", "then"):
            check_known(path, id_, key, [entry.get(key)], known, "failure class or finding")


def check_tables():
    shared = {"id": ("text", True), "source": ("text", True), "date": (datetime.date, True), "library": ("string", True)}
    columns = {
        "api-changes": {"name": ("text", True), "kind": ("text", True), "deprecated_in": ("string", True),
                        "removed_in": ("text", True), "new_form": ("text", True), "error_text": ("text", True)},
        "known-bad": {"devices": ("texts", True), "dtype": ("string", True), "first_bad": ("string", True),
                      "last_bad": ("string", True), "operation": ("text", True), "system": ("string", True),
                      "symptom": ("text", True), "work_around": ("text", True)}}
    for path in sorted((ROOT / "tables").glob("*.toml")):
        if path.stem not in columns:
            error(path, "-", "the columns of this table are not declared")
            continue
        seen = {}
        for row in entries(path, "row"):
            id_ = unique(path, row, seen, "row")
            check_fields(path, id_, row, shared | columns[path.stem])
            if path.stem == "api-changes":
                check_known(path, id_, "kind", [row.get("kind")], CHANGE_KINDS, "kind of change")


def main():
    if not ROOT.is_dir():
        sys.exit(f"check_knowledge: {ROOT} is no folder")
    findings = check_findings(check_sources())
    causes = check_causes(findings, check_axes())
    check_signatures(findings)
    check_consequences({*CLASSES, *findings})
    check_tables()
    for line in errors:
        print(line)
    if errors:
        sys.exit(f"check_knowledge: {len(errors)} errors")
    print(f"check_knowledge: {len(causes)} causes and {len(findings)} findings are sound")


if __name__ == "__main__":
    main()
