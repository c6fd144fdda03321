#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compile knowledge/ into C++ tables: compile_knowledge.py KNOWLEDGE_DIR OUT.cc.

Nothing is parsed when assay starts, so everything becomes constexpr arrays of string views. Whether the content is sound is
checked by tools/check_knowledge.py, which the build runs first.
"""
import pathlib
import sys
import tomllib


def quoted(text):
    out = []
    for byte in text.encode():
        char = chr(byte)
        if char in '"\\?':
            out.append("\\" + char)
        elif 32 <= byte < 127:
            out.append(char)
        else:
            out.append(f"\\{byte:03o}")
    return '"' + "".join(out) + '"'


class Writer:
    """Emits arrays first and rows that span them later."""

    def __init__(self):
        self.arrays, self.count = [], 0

    def array(self, kind, rows):
        if not rows:
            return "{}"
        name = f"k{self.count}"
        self.count += 1
        body = ", ".join(rows)
        self.arrays.append(f"constexpr {kind} {name}[] = {{{body}}};")
        return name

    def texts(self, values):
        return self.array("std::string_view", [quoted(v) for v in values])

    def table(self, kind, function, rows):
        rows = sorted(rows, key=lambda row: row[0].encode())
        if not rows:
            return f"std::span<const {kind}> {function}() {{ return {{}}; }}\n"
        body = ",\n    ".join("{" + ", ".join(fields) + "}" for _, fields in rows)
        self.arrays.append(f"constexpr {kind} kTable{function}[] = {{\n    {body}}};")
        return f"std::span<const {kind}> {function}() {{ return kTable{function}; }}\n"


def role(name):
    return "Role::k" + "".join(part.capitalize() for part in name.split("-"))


def main():
    root, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    w = Writer()

    def load(path):
        return tomllib.loads(path.read_text())

    def each(pattern):
        return [(p, load(p)) for p in sorted(root.glob(pattern))]

    signatures = []
    for path, data in each("signatures/*.toml"):
        for s in data["signature"]:
            signatures.append((s["id"], [
                quoted(s["id"]), quoted(path.stem), quoted(s.get("finding", "")), role(s["role"]), w.texts(s["literals"]),
                w.texts(s.get("also", [])),
                quoted(s["pattern"]), quoted(s["meaning"]), w.texts(s.get("frameworks", [])), quoted(s.get("versions", "")),
                w.texts(s["samples"]), w.texts(s["counter_samples"])]))
    findings = []
    for _, data in each("findings/*.toml"):
        for f in data["finding"]:
            findings.append((f["id"], [
                quoted(f["id"]), quoted(f["title"]), quoted(f["recognised_by"]), quoted(f["threshold"]), w.texts(f["look_alikes"]),
                w.texts(f["sources"]), quoted(f["group"]), w.texts(f.get("symptom_of", [])),
                "true" if f.get("advice", False) else "false"]))
    causes = []
    for _, c in each("causes/*/*.toml"):
        def weights(table):
            return w.array("Weight", [f"{{{quoted(k)}, {v}}}" for k, v in c.get(table, {}).items()])
        direct, shows = c["direct"], c["shows"]
        causes.append((c["id"], [
            quoted(c["id"]), quoted(c["class"]), w.texts(c.get("also", [])), quoted(c["kind"]), str(c["prior"]),
            "true" if c["validated"] else "false", quoted(c["statement"]), quoted(c["fix"]), quoted(c["silences"]),
            w.texts(c.get("cases", [])), w.texts(c.get("requires", [])), w.texts(c.get("excluded_by", [])),
            weights("for"), weights("against"), quoted(direct.get("none", "")), quoted(direct.get("why", "")),
            w.array("Proof", [f"{{{w.texts(p['findings'])}}}" for p in direct.get("proof", [])]),
            w.array("LookAlike", [f"{{{quoted(a['is'])}, {w.texts(a['excluded_by'])}}}" for a in direct.get("look_alike", [])]),
            w.texts(shows.get("gone", [])), w.texts(shows.get("changes", [])), w.texts(shows.get("stays", [])),
            w.texts(shows.get("not_applicable", [])),
            w.array("Rival", [f"{{{quoted(r['cause'])}, {quoted(r['separated_by'])}}}" for r in c.get("rivals", [])])]))
    sources = [(k, [quoted(k), quoted(v["title"]), "true" if v["landed"] else "false", quoted(v["how"])])
               for k, v in load(root / "sources.toml").items()]
    experiments = load(root / "axes.toml")
    axes = [(a["id"], [quoted(a["id"]), quoted(a["title"]), quoted(a["changes"]), w.texts(a["side_effects"]), quoted(a["proof"]),
                       quoted(a["void_when"]), quoted(a["cost"]), w.texts(a.get("values", [])), w.texts(a.get("value_costs", [])),
                       w.texts(a.get("aliases", []))])
            for a in experiments["axis"]]
    smokes = [(s["id"], [quoted(s["id"]), quoted(s["title"]), quoted(s.get("axis", "")), quoted(s.get("value", ""))]) for s in experiments["smoke"]]
    consequences = [(c["first"] + c["then"], [quoted(c["first"]), quoted(c["then"]), quoted(c["because"])])
                    for c in load(root / "consequences.toml")["consequence"]]

    changes = [(r["id"], [quoted(r[k]) for k in ("id", "library", "name", "kind", "removed_in", "new_form", "error_text")])
               for r in load(root / "tables/api-changes.toml")["row"]]

    functions = (w.table("Signature", "Signatures", signatures) + w.table("FindingInfo", "Findings", findings)
                 + w.table("CauseInfo", "Causes", causes) + w.table("SourceInfo", "EvidenceSources", sources)
                 + w.table("AxisInfo", "Axes", axes)
                 + w.table("SmokeInfo", "Smokes", smokes) + w.table("ConsequenceInfo", "Consequences", consequences)
                 + w.table("ApiChangeInfo", "ApiChanges", changes))
    text = ("// Generated from knowledge/ by tools/compile_knowledge.py.\n#include \"knowledge/tables.h\"\n\nnamespace assay {\nnamespace {\n"
            + "\n".join(w.arrays) + "\n}  // namespace\n\nnamespace knowledge {\n\n" + functions
            + "\n}  // namespace knowledge\n}  // namespace assay\n")
    if not out.exists() or out.read_text() != text:
        out.write_text(text)


if __name__ == "__main__":
    main()
