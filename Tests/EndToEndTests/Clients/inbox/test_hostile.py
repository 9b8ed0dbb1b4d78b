"""Payloads, keys and header fields of strangers are text, and stay in their place."""
import json
import socket

import pytest

MARKUP = "<img src=x onerror=\"window.hacked=1\"><script>window.hacked=1</script><b>bold</b>"
OVERRIDES = "safe\u202egnp.tset \u2066\u2067\u200b\u0007\u2028\U000e0041end"


def check_nothing_ran(page):
    assert page.script("return window.hacked") is None
    # Nothing but what the page itself draws: no element that a payload could bring along.
    assert page.count("script:not([src^='js/']), iframe, object, embed, style, [onerror], [onclick], [style], b b, form[action], base") == 0
    assert page.script("return [...document.images].filter((each) => each.src && !each.src.startsWith('blob:')).length") == 0
    assert page.script("return [...document.querySelectorAll('a[href]')].filter((each) => !each.getAttribute('href').startsWith('#')).length") == 0


@pytest.fixture(autouse=True)
def nothing_is_asked_elsewhere(page, mock):
    page.requests()
    yield
    check_nothing_ran(page)
    outside = [url for url in page.requests() if not url.startswith((mock.url, "blob:", "about:", "data:", "chrome"))]
    assert outside == []


def test_markup_in_every_field_key_and_header(page, mock):
    aps = {"alert": {"title": MARKUP, "subtitle": MARKUP, "body": MARKUP}, "category": MARKUP, "thread-id": MARKUP, "sound": MARKUP, "interruption-level": MARKUP, "target-content-id": MARKUP}
    number = mock.post(json.dumps({"aps": aps, MARKUP: {MARKUP: MARKUP}, "attachment-url": "https://attacker.example/x.png"}).encode(), {"apns-collapse-id": "<b>collapse</b>", "apns-topic": "com.example.app", "x-strange": MARKUP})
    page.until_text("#rows", "<img src=x")
    page.until_text("#stage .note", "<img src=x")
    check_nothing_ran(page)
    page.open_push(number)
    assert "<script>window.hacked=1</script>" in page.text(".head h1")
    assert MARKUP in page.text("table[aria-label=Headers]")
    assert "<b>collapse</b>" in page.text("#facts")
    assert "onerror" in page.text(".code")
    check_nothing_ran(page)
    page.go(f"#/compose/push-{number}")
    page.until_text("#preview .note", "<img src=x")


def test_no_address_of_a_push_is_ever_asked(page, mock):
    """A listener that every address in the push leads to: neither the page nor the mock connects to it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0)
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/pier.png"
        names = ["attachment-url", "attachment", "image", "icon", "url", "src", "href"]
        aps = {"alert": {"title": address, "body": f"<img src={address}>", "launch-image": address}, "sound": address, "mutable-content": 1, "category": "PHOTO", "target-content-id": address, "url-args": [address]}
        number = mock.post(json.dumps({"aps": aps, **{name: address for name in names}}).encode(), {"apns-topic": "com.example.chat"})
        page.until_text("#stage .note", address)
        page.open_push(number)
        page.until_text(".code", address)
        assert "no file for" in page.text("#timeline")
        page.go(f"#/compose/push-{number}")
        page.until_text("#tried", "no file for")
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_direction_overrides_are_isolated_and_made_visible(page, mock):
    number = mock.post(json.dumps({"aps": {"alert": {"title": OVERRIDES, "body": "Hello"}}}, ensure_ascii=False).encode())
    page.until_text(f"#rows tr[data-n='{number}'] .say bdi", "U+202E")
    marks = page.texts(f"#rows tr[data-n='{number}'] .say .ctl")
    assert marks == ["U+202E", "U+2066", "U+2067", "U+200B", "U+0007", "U+2028", "U+E0041"]
    label = page.find(f"#rows tr[data-n='{number}'] a").get_attribute("aria-label")
    assert "U+202E" in label and "\u202e" not in label
    page.until_text("#stage .note .ttl", "U+202E")
    page.open_push(number)
    everything = page.script("return document.body.innerText + [...document.querySelectorAll('[aria-label], [title]')].map((each) => each.getAttribute('aria-label') + each.title).join() + document.title")
    assert not any(character in everything for character in "\u202e\u2066\u2067\u200b\u2028")


def test_a_megabyte_of_a_title_is_cut(page, mock):
    number = mock.post(json.dumps({"aps": {"alert": {"title": "A" * 1_000_000, "body": "Hello"}}}).encode())
    page.until(f"document.querySelector('#rows tr[data-n=\"{number}\"]') !== null", "the row is there")
    assert page.text(f"#rows tr[data-n='{number}'] .c-status") == "413"
    assert page.text(f"#rows tr[data-n='{number}'] .cut-mark") == "cut"
    assert len(page.text(f"#rows tr[data-n='{number}']")) < 1000
    page.open_push(number)
    assert page.texts(".head .pill")[-1] == "cut at 64 KiB"
    assert "its first 64 KiB" in page.text(".body-mark")
    assert "1,000,0" in page.text("section[aria-label=Payload] header")
    assert len(page.text(".code")) < 70_000


def test_deep_json_is_shown_as_it_came(page, mock):
    depth = 900
    number = mock.post(('{"aps":{"alert":"Deep"},"x":' + "[" * depth + "]" * depth + "}").encode())
    page.until(f"document.querySelector('#rows tr[data-n=\"{number}\"]') !== null", "the row is there")
    page.open_push(number)
    assert "[" * depth in page.text(".code")


def test_bytes_that_are_no_text_are_shown_as_bytes(page, mock):
    number = mock.post(b'{"aps":{"alert":"caf\xe9 \xff\xfe"}}')
    page.open_push(number)
    assert 'caf\\xE9 \\xFF\\xFE' in page.text(".code")
    assert "not UTF-8" in page.texts(".head .pill")
    assert page.count("#replay") == 0


def test_names_of_prototypes_are_ordinary_names(page, mock):
    number = mock.post(b'{"__proto__":{"aps":{"alert":"Wrong"},"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x","aps":{"alert":{"title":"Right","body":"x","__proto__":{"title":"Wrong"}},"category":"__proto__","interruption-level":"constructor"}}', {"apns-push-type": "alert", "apns-collapse-id": "__proto__"})
    page.until_text(f"#rows tr[data-n='{number}']", "Right")
    page.open_push(number)
    assert page.text(".head h1") == "Right: x"
    assert "__proto__" in page.text(".code")
    assert page.script("return ({}).polluted") is None


def test_what_is_no_json_and_an_empty_body_are_rows_too(page, mock):
    for body in [b"", b"\x00\x01\x02", b"not json <b>", b"[]", b"null", b"7", b'"text"', b'{"aps":[]}', b'{"aps":{"alert":[]}}', b'{"aps":null}']:
        number = mock.post(body)
        page.until(f"document.querySelector('#rows tr[data-n=\"{number}\"]') !== null", f"the row of {body!r} is there")
        page.open_push(number)
        page.go("#/inbox")
        page.until("document.getElementById('rows') !== null", "the table is there")


def test_a_topic_and_a_push_type_of_a_stranger(page, mock):
    number = mock.post(b'{"aps":{"alert":"Hello"}}', {"apns-topic": "com.example.\"><b>x</b>", "apns-push-type": "<b>alert</b>"})
    page.until_text(f"#rows tr[data-n='{number}'] .c-type", "<b>alert</b>")
    assert '"><b>x</b>' in page.text(f"#rows tr[data-n='{number}'] .c-app")
    page.open_push(number)
