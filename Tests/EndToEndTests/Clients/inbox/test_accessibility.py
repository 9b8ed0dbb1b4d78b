"""Every page for the keyboard and for a screen reader, in both themes and three widths."""
import pytest
from axe_selenium_python import Axe

from browser import Keys, MIDDLE, NARROW, WIDE
from mock import TOKEN


@pytest.fixture(scope="module", autouse=True)
def scene(mock):
    mock.send(TOKEN, "--template", "critical", topic="com.example.home")
    mock.send(TOKEN, "--template", "live-activity-start", topic="com.example.bakery.push-type.liveactivity")
    mock.send(TOKEN, "-t", "Reading list", "-m", "Three new articles.", topic="com.example.reader")
    mock.send("990410" + "0" * 58, "-t", "Gone", "-m", "x", fails=True)
    mock.send(TOKEN, "--template", "rich")


def pages(page, mock):
    total = mock.total()
    yield "inbox", lambda: page.go("#/inbox") or page.until_text("#rows", "Reading list")
    yield "push", lambda: page.open_push(total)
    yield "rejected", lambda: page.open_push(total - 1)
    yield "composer", lambda: page.go("#/compose/rich") or page.until_text("#ready", "No problems")
    yield "faults", lambda: page.go("#/faults") or page.until_text("#violations", " ")
    yield "start", lambda: page.go("#/start") or page.until_text("#work h1", "Send your first push")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, MIDDLE, NARROW], ids=["wide", "middle", "narrow"])
def test_labels_roles_and_contrast(page, mock, theme, size):
    page.theme(theme)
    page.size(size)
    axe = Axe(page.driver)
    axe.inject()
    problems = []
    try:
        for name, show in pages(page, mock):
            show()
            problems += check(axe, name)
            if size == NARROW and name in ["inbox", "push"]:
                page.click("#switch button", "Phone")
                problems += check(axe, f"{name}, phone")
                page.click("#switch button")
    finally:
        page.theme("light")
        page.size(WIDE)
    assert problems == []


# Rules of this version of axe that are older than ARIA 1.2 and HTML 5.2: a div may group the items of a dl, and a combobox has its
# list by aria-controls.
OUTDATED = {"dlitem", "aria-required-children", "aria-allowed-role"}


def check(axe, name, outdated=OUTDATED):
    found = axe.run(options={"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "best-practice"]}})["violations"]
    return [f"{name}: {each['id']}: {node['target']} {node['any'][0]['message'] if node['any'] else ''}" for each in found if each["id"] not in outdated for node in each["nodes"]]


def test_dialogs_and_menus(page):
    axe = Axe(page.driver)
    axe.inject()
    problems = []
    page.click("[data-tip='Apps and their settings']")
    # This version of axe does not know either that a dialog is a region of its own.
    problems += check(axe, "apps", OUTDATED | {"region"})
    page.press(Keys.ESCAPE)
    page.press("?")
    problems += check(axe, "keys")
    page.press(Keys.ESCAPE)
    page.click("#stage .who")
    problems += check(axe, "phones")
    page.press(Keys.ESCAPE)
    page.press("/")
    problems += check(axe, "search")
    assert problems == []


def test_the_focus_goes_through_the_inbox_in_the_order_of_reading(page):
    page.script("document.activeElement.blur()")
    order = []
    for _ in range(40):
        page.press(Keys.TAB)
        order.append(page.script("const one = document.activeElement; return one.closest('.skip') ? 'skip' : one.closest('.bar') ? 'bar' : one.closest('.finder') ? 'finder' : one.closest('.counts') ? 'counts' : one.closest('#rows') ? 'rows' : one.closest('.rows') ? 'table' : one.closest('.pager') ? 'pager' : one.closest('.stage-top') ? 'phone' : one.closest('.screen') ? 'screen' : one.closest('.tools') ? 'tools' : one.closest('.icons') ? 'apps' : one.tagName"))
        if order[-1] == "BODY" or (order[-1] == "skip" and len(order) > 1):
            break
    groups = [name for at, name in enumerate(order) if at == 0 or order[at - 1] != name]
    wanted = ["skip", "bar", "finder", "counts", "rows", "phone", "screen", "tools", "apps"]
    assert [name for name in groups if name in wanted] == wanted
    assert order.count("tools") == 1


def test_the_skip_link_leads_to_the_pushes(page):
    page.press(Keys.TAB)
    page.press(Keys.ENTER)
    assert page.focused() == "work"


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_another_skip_link_leads_to_the_phone(page, size):
    page.size(size)
    try:
        page.press(Keys.TAB, Keys.TAB)
        assert page.focused() == "Skip to the phone"
        page.press(Keys.ENTER)
        assert page.focused() == "stage"
        assert page.script("return document.getElementById('stage').getBoundingClientRect().width > 200")
        # Where no phone is, no link leads to it.
        page.go("#/faults")
        page.until("getComputedStyle(document.querySelector('.skip-phone')).display === 'none'", "there is no link")
        page.go("#/inbox")
    finally:
        page.script("document.querySelector('.skip').click()")
        page.size(WIDE)


def test_landmarks_have_names_of_their_own(page, mock):
    names = page.script("return [...document.querySelectorAll('nav, aside, section[aria-label], [role=search]')].map((each) => each.getAttribute('aria-label'))")
    assert len(names) >= 4 and len(set(names)) == len(names)
    page.size(NARROW)
    try:
        page.click("#switch button", "Phone")
        tree = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        roles = [node["role"]["value"] for node in tree if not node.get("ignored") and "role" in node]
        assert roles.count("main") == 1 and "heading" in roles and "complementary" in roles
    finally:
        page.click("#switch button")
        page.size(WIDE)


def test_the_table_is_a_table_for_a_screen_reader_also_when_it_is_narrow(page):
    page.size(NARROW)
    try:
        tree = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        roles = [node["role"]["value"] for node in tree if not node.get("ignored") and "role" in node]
        assert "table" in roles and roles.count("row") >= 4 and roles.count("cell") >= 12
    finally:
        page.size(WIDE)


def test_keys_open_pages_and_move_between_rows(page):
    page.press("j", "j")
    number = page.script("return document.activeElement.closest('tr').dataset.n")
    page.press(Keys.ENTER)
    page.until(f"location.hash === '#/push/{number}'", "the push is opened")
    page.press("3")
    page.until("location.hash === '#/faults'", "the faults are shown")
    page.press("2")
    page.until("location.hash.startsWith('#/compose')", "the composer is shown")
    page.press("1")
    page.until("location.hash === '#/inbox'", "the inbox is shown")
    page.press("t")
    page.until("document.documentElement.dataset.theme === 'dark'", "it is dark")
    page.press("t")
    page.script("localStorage.clear()")
