# SPDX-License-Identifier: Apache-2.0
"""Analyses of Kieker's own sample logs give what Kieker's own tools give for them.

COMPMOND_KIEKER_SAMPLES names the folder of samples: per sample `log/` and `expected/`. Graphs are compared as sets."""

import os
import pathlib
import re

import pytest
from program import analyze

FOLDER = os.environ.get("COMPMOND_KIEKER_SAMPLES")
pytestmark = pytest.mark.skipif(not FOLDER, reason="COMPMOND_KIEKER_SAMPLES is not set: no samples to compare with")
SAMPLES = ["operation-executions", "trace-events"]
ENTRY = None


def folder(sample):
    return pathlib.Path(FOLDER) / sample


def expected(sample, name):
    return (folder(sample) / "expected" / name).read_text()


def simple(class_name):
    """a.b.Catalog, ..Catalog or @1:..Catalog -> Catalog."""
    return class_name.rsplit(".", 1)[-1]


def kieker_graph(text):
    """Edges of Kieker's dependency graph as (from, to, count); a node is (component, operation, host) as far as drawn."""
    nodes, edges, component, host = {}, set(), None, None
    for line in text.splitlines():
        if found := re.search(r'label = "<<(\w+ \w+)>>\\n(.*)";', line):
            if found[1] == "execution container":
                host = found[2]
            else:
                component = simple(found[2])
        elif found := re.match(r'"(depNode_\d+)" \[label="(.*?)",shape', line):
            number, label = found.groups()
            if label == "'Entry'":
                nodes[number] = ENTRY
            elif label.startswith("<<execution container>>"):
                nodes[number] = label.split("\\n")[1]
            elif label.startswith("<<"):
                nodes[number] = (host, simple(label))
            else:
                nodes[number] = (host, component, label)
        elif found := re.match(r"(depNode_\d+)->(depNode_\d+)\[label=(\d+)", line):
            edges.add((found[1], found[2], int(found[3])))
        elif line == "}":
            component = None
    return {(nodes[a], nodes[b], count) for a, b, count in edges}


def our_graph(sample, level, *flags):
    out = analyze("dependency-graph", "--level", level, *flags, folder(sample) / "log")
    hosts = {node["name"]: node["host"] for node in out["nodes"]}

    def node(name):
        if name is None or level == "host":
            return name
        host = hosts[name] if "--with-host" in flags else None
        short = name.removeprefix(f"{host}::")
        if level == "component":
            return (host, simple(short))
        component, operation = re.fullmatch(r"(.*)\.([^.]*\(.*\))", short).groups()
        return (host, simple(component), operation)

    return {(node(edge["from"]), node(edge["to"]), edge["count"]) for edge in out["edges"]}


GRAPHS = [
    ("assemblyComponentDependencyGraph.dot", "component", []),
    ("assemblyOperationDependencyGraph.dot", "operation", []),
    ("deploymentComponentDependencyGraph.dot", "component", ["--with-host"]),
    ("deploymentOperationDependencyGraph.dot", "operation", ["--with-host"]),
    ("containerDependencyGraph.dot", "host", []),
]


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("file,level,flags", GRAPHS)
def test_dependency_graphs_are_those_of_kieker(sample, file, level, flags):
    graph = kieker_graph(expected(sample, file))
    assert graph and graph == our_graph(sample, level, *flags)


def kieker_tree(text):
    """Kieker's call tree as a set of (path of labels, count)."""
    labels = {int(n): label for n, label in re.findall(r'(\d+)\[label ="(.*?)",shape=none\]', text)}
    below = {int(b): (int(a), int(count)) for a, b, count in re.findall(r'(\d+)->(\d+)\[.*?label="(\d+)"', text)}

    def path(node):
        return path(below[node][0]) + (plain(labels[node]),) if node in below else ()

    def plain(label):
        host, rest = label.split("::\\n") if "::" in label else (None, label)
        component, operation = rest.split("\\n.")
        return (host, simple(component), operation)

    return {(path(node), count) for node, (_, count) in below.items()}


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("file,flags", [("aggregatedAssemblyCallTree.dot", []),
                                        ("aggregatedDeploymentCallTree.dot", ["--with-host"])])
def test_aggregated_call_trees_are_those_of_kieker(sample, file, flags):
    root = analyze("aggregated-call-tree", *flags, folder(sample) / "log")["root"]
    ours = set()

    def walk(node, path):
        for child in node["children"]:
            host, rest = child["name"].split("::") if flags else (None, child["name"])
            component, operation = re.fullmatch(r"(.*)\.([^.]*\(.*\))", rest).groups()
            here = path + ((host, simple(component), operation),)
            ours.add((here, child["count"]))
            walk(child, here)

    walk(root, ())
    tree = kieker_tree(expected(sample, file))
    assert tree and tree == ours


@pytest.mark.parametrize("file,flags", [("traceAssemblyEquivClasses.txt", []),
                                        ("traceDeploymentEquivClasses.txt", ["--with-host"])])
def test_equivalence_classes_are_those_of_kieker(file, flags):
    sample = "operation-executions"
    theirs = {tuple(map(int, found)) for found in re.findall(
        r"cardinality: (\d+); # executions: (\d+); representative: (\d+); max. stack depth: (\d+)",
        expected(sample, file))}
    out = analyze("equivalence-classes", *flags, folder(sample) / "log")
    ours = {(c["cardinality"], c["executions"], c["representative"], c["max_depth"]) for c in out["classes"]}
    assert theirs and theirs == ours
    assert out["log"]["broken"] == 0


@pytest.mark.parametrize("sample,executions", [("operation-executions", 12), ("trace-events", 5)])
def test_no_execution_of_the_samples_is_lost(sample, executions):
    out = analyze("traces", folder(sample) / "log")
    assert sum(len(trace["executions"]) for trace in out["traces"]) == executions
    assert out["broken"] == 0 and out["log"]["bad_records"] == 0
