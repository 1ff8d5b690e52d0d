"""The registry: what a family must be, and which rules a choice names."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from claimlint import registry
from claimlint.errors import RegistryError, UsageError
from claimlint.findings import code_key
from claimlint.registry import Registry, build, matches, require_known, select
from claimlint.rules import rules_of
from tests.sample_rules import PAGE, made, module_of, point, registry_of, says


def codes(rules: Any) -> list[str]:
    return [rule.code for rule in rules]


def test_rules_stand_in_the_order_of_families_and_numbers() -> None:
    assert codes(registry_of("B-10", "B-2", "A-1", "A-INV-3", "B-1").rules) == [
        "A-1",
        "A-INV-3",
        "B-1",
        "B-2",
        "B-10",
    ]


def test_families_are_the_parts_of_codes_before_the_number() -> None:
    assert registry_of("B-10", "M-INV-2").families == {"B", "M-INV"}


def test_the_rules_of_a_module_are_those_it_defines_not_those_it_imports() -> None:
    own, foreign = says("A-1"), says("B-1")
    module = module_of("mine", own=own)
    foreign.__module__ = "theirs"
    module.foreign = foreign  # type: ignore[attr-defined]
    module.number = 1  # type: ignore[attr-defined]
    assert codes(rules_of(module)) == ["A-1"]


def test_a_package_may_define_its_rules_in_modules_of_its_own() -> None:
    first, second = says("A-1"), says("A-2")
    package = module_of("mine", first=first, second=second)
    first.__module__, second.__module__ = "mine.one", "mineral"
    assert codes(rules_of(package)) == ["A-1"]


@pytest.mark.parametrize("thing", [1, "text", (), object(), SimpleNamespace()])
def test_what_is_no_module_has_no_rules(thing: object) -> None:
    with pytest.raises(RegistryError, match=r"^family A \(mod of dist\) defines no rule$"):
        build([(point("A"), thing)])


def test_a_module_that_cannot_be_searched_is_a_broken_family() -> None:
    class Trap:
        def __getattr__(self, name: str) -> object:
            raise LookupError(name)

    module = ModuleType("mine")
    module.trap = Trap()  # type: ignore[attr-defined]
    with pytest.raises(RegistryError, match="cannot be searched for rules: LookupError"):
        build([(point("A"), module)])


@pytest.mark.parametrize(
    ("code", "options", "words"),
    [
        (
            "A-1",
            {"on": "claim_drift"},
            "rule A-1 of mod of dist is on 'claim_drift', not one of claim_audit_results",
        ),
        ("A-1", {"on": int}, "is on 'int'"),
        ("A-1", {"page": ""}, "its page lacks Why, Bad, Good, Fix"),
        ("A-1", {"page": PAGE.replace("Bad\n", "").replace("Fix\n", "")}, "its page lacks Bad, Fix"),
        ("A-1", {"page": PAGE.replace("Why", "Why not")}, "its page lacks Why"),
        ("B-1", {}, "rule B-1 of mod of dist is not of the family A it is registered as"),
        ("A", {}, "a code is a family in capitals, a hyphen and a number"),
        ("A-", {}, "a code is a family in capitals"),
        ("A-x", {}, "a code is a family in capitals"),
        ("A-١", {}, "a code is a family in capitals"),
        ("a-1", {}, "a code is a family in capitals"),
        ("A B-1", {}, "a code is a family in capitals"),
        ("A-" + "1" * 5000, {}, "a code is a family in capitals"),
    ],
)
def test_a_rule_that_breaks_the_contract_is_refused(code: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(RegistryError) as caught:
        build([(point("A"), module_of("mine", check=says(code, **options)))])
    assert words in caught.value.message


def test_a_code_belongs_to_one_rule() -> None:
    families = [
        (point("A", "one", "x"), module_of("one", c=says("A-1"))),
        (point("A", "two", "y"), module_of("two", c=says("A-1"))),
    ]
    with pytest.raises(RegistryError, match=r"^the code A-1 is taken: both one of x and two of y define it; "):
        build(families)


@pytest.mark.parametrize("order", [1, -1])
def test_a_code_of_another_family_is_taken_whichever_comes_first(order: int) -> None:
    families = [
        (point("A", "house", "house"), module_of("house", c=says("B-1"))),
        (point("B", "b", "dist"), module_of("b", c=says("B-1"))),
    ]
    with pytest.raises(RegistryError, match=r"^the code B-1 is taken: both b of dist and house define it; "):
        build(families[::order])


def test_a_module_that_is_called_like_its_distribution_is_named_once() -> None:
    with pytest.raises(RegistryError, match=r"^rule B-1 of house is not of the family A"):
        build([(point("A", "house", "house"), module_of("house", c=says("B-1")))])


def test_without_any_family_the_installation_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "entry_points", lambda _group: ())
    with pytest.raises(RegistryError, match="no rule family is installed"):
        registry.load.__wrapped__()


@pytest.mark.parametrize(
    ("code", "entries", "expected"),
    [
        ("INV-1", ["INV-1"], True),
        ("INV-10", ["INV-1"], False),
        ("INV-1", ["INV"], True),
        ("M-INV-1", ["INV"], False),
        ("M-INV-1", ["M"], False),
        ("M-INV-1", ["M-INV"], True),
        ("INV-1", ["ALL"], True),
        ("INV-1", ["IN"], False),
        ("INV-1", [], False),
        ("INV-1", ["CITE", "INV-1"], True),
    ],
)
def test_an_entry_names_a_whole_code_or_a_whole_family(code: str, entries: list[str], expected: bool) -> None:
    assert matches(code, entries) is expected


@pytest.fixture
def known() -> Registry:
    rules = registry_of("INV-1", "INV-2", "INV-10", "M-INV-1", "GATE-1")
    changed = {
        "INV-10": made(says("INV-10", default=False)),
        "GATE-1": made(says("GATE-1", locked=True)),
    }
    ordered = tuple(changed.get(rule.code, rule) for rule in rules.rules)
    return Registry(ordered, {rule.code: rule for rule in ordered})


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ["GATE-1", "INV-1", "INV-2", "M-INV-1"]),
        ({"selected": ("INV",)}, ["INV-1", "INV-2", "INV-10"]),
        ({"selected": ("INV-1",)}, ["INV-1"]),
        ({"selected": ("ALL",)}, ["GATE-1", "INV-1", "INV-2", "INV-10", "M-INV-1"]),
        ({"selected": ()}, []),
        ({"extended": ("INV-10",)}, ["GATE-1", "INV-1", "INV-2", "INV-10", "M-INV-1"]),
        ({"ignored": ("INV",)}, ["GATE-1", "M-INV-1"]),
        ({"ignored": ("ALL",)}, ["GATE-1"]),
        ({"ignored": ("GATE-1", "GATE")}, ["GATE-1", "INV-1", "INV-2", "M-INV-1"]),
        ({"selected": ("INV",), "ignored": ("INV-2", "INV-10")}, ["INV-1"]),
        ({"selected": ("M-INV",), "extended": ("INV-2",), "ignored": ("INV-2",)}, ["M-INV-1"]),
    ],
)
def test_a_choice_of_rules(known: Registry, options: dict[str, Any], expected: list[str]) -> None:
    assert codes(select(known, **options)) == expected


@pytest.mark.parametrize(
    ("entry", "hint"),
    [
        ("INV-11", "; did you mean INV-1"),
        ("inv-2", "; did you mean INV-2?"),
        ("M_INV", "; did you mean M-INV?"),
        ("GATES", "; did you mean GATE?"),
        ("zzz", "; `claimlint rules` lists them"),
        ("", "; `claimlint rules` lists them"),
    ],
)
@pytest.mark.parametrize("option", ["selected", "extended", "ignored"])
def test_an_unknown_entry_is_refused_with_the_nearest_known(
    known: Registry, option: str, entry: str, hint: str
) -> None:
    with pytest.raises(UsageError) as caught:
        select(known, **{option: (entry,)})
    assert caught.value.message.startswith(f"unknown rule or family {entry!r}{hint}")


def test_known_entries_pass(known: Registry) -> None:
    for entry in ("INV-10", "M-INV", "ALL"):
        require_known(known, entry)


def test_codes_sort_by_family_and_number() -> None:
    given = ["INV-10", "ODD", "INV-2", "M-INV-1", "INV-x", "INV-1"]
    assert sorted(given, key=code_key) == ["INV-1", "INV-2", "INV-10", "INV-x", "M-INV-1", "ODD"]


def test_the_installed_registry_is_made_once_and_holds_every_family() -> None:
    assert registry.load() is registry.load()
    assert registry.load().families >= {
        "JSON",
        "SCHEMA",
        "MATRIX",
        "INV",
        "M-INV",
        "GATE",
        "CITE",
        "UNCITED",
        "ACK",
    }


def test_the_gates_own_refusals_are_locked_and_nothing_else() -> None:
    locked = [rule.code for rule in registry.load().rules if rule.locked]
    assert locked == ["GATE-3", "GATE-4", "GATE-5", "GATE-6", "GATE-10", "GATE-15"]
