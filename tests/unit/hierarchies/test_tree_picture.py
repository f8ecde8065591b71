"""Hierarchies drawn for the terminal and for a page."""

from rich.console import Console

from sfumato.hierarchies import Hierarchy, Prefix, Tree, as_html, as_tree
from sfumato.hierarchies.tree_picture import outline

ZIPS = Prefix((4, 3)).bind(["02138", "02139", "02141", None])


def printed(tree):
    console = Console(width=80, color_system=None)
    with console.capture() as capture:
        console.print(tree)
    return [line.rstrip() for line in capture.get().splitlines()]


def test_the_terminal_shows_labels_with_how_many_values_they_cover():
    assert printed(as_tree(ZIPS)) == [
        "*  (4 values)",
        "├── 021**  (3 values)",
        "│   ├── 0213*  (2 values)",
        "│   │   ├── 02138",
        "│   │   └── 02139",
        "│   └── 0214*  (1 value)",
        "│       └── 02141",
        "└── (null)",
    ]


def test_values_can_be_left_out():
    assert "02138" not in "\n".join(printed(as_tree(ZIPS, values=False)))
    assert "02138" not in as_html(ZIPS, values=False)


def test_more_children_than_asked_for_are_counted():
    assert (
        printed(as_tree(Hierarchy.from_rows([(str(n), "*") for n in range(9)]), max_children=2))[-1]
        == "└── … 7 more"
    )


def test_markup_in_a_value_is_shown_as_text():
    hierarchy = Hierarchy.from_rows([("[red]x[/red]<script>", "*")])
    assert "[red]x[/red]<script>" in printed(as_tree(hierarchy))[1]
    assert "<li>[red]x[/red]&lt;script&gt;</li>" in as_html(hierarchy)


def test_a_title_stands_above_the_top():
    assert printed(as_tree(ZIPS, title="zip"))[:2] == ["zip", "└── *  (4 values)"]


def test_a_hierarchy_that_ends_in_several_labels_is_drawn_under_one_root():
    assert printed(as_tree(Hierarchy.from_rows([("a", "x"), ("b", "y")])))[0] == "hierarchy"


def test_a_label_that_repeats_upwards_is_drawn_once():
    world = Tree({"Europe": ["France"], "Asia": {"East": ["Japan"]}}).bind(["France", "Japan"])
    assert [node.label for node in outline(world)[0].children] == ["Europe", "Asia"]
    assert [node.label for node in outline(world)[0].children[0].children] == ["France"]


def test_the_page_folds_and_truncates():
    page = as_html(ZIPS, max_children=1)
    assert page.startswith(
        '<ul class="hierarchy"><li><details open><summary>*  (4 values)</summary>'
    )
    assert page.count("… 1 more") == 3
    assert page.count("<ul") == page.count("</ul>")
    assert page.count("<details") == page.count("</details>")
