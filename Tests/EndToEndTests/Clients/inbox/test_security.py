"""Who may not reach the mock: other pages, other names, and who has no access token."""
import urllib.request

from mock import Mock, TOKEN


def test_the_page_is_served_with_a_strict_policy(mock):
    with urllib.request.urlopen(f"{mock.url}/", timeout=300) as answer:
        policy = answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        tag = answer.headers["etag"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy and "http:" not in policy and "*" not in policy
    assert mock.refusal("GET", "/", {"if-none-match": tag}) == 304


def test_a_page_of_another_origin_is_refused(mock):
    host = mock.url.removeprefix("http://")
    assert mock.refusal("GET", "/", {"host": "attacker.example"}) == 421
    assert mock.refusal("GET", "/v1/events", {"origin": "http://attacker.example"}) == 403
    assert mock.refusal("GET", "/v1/pushes", {"origin": "null"}) == 403
    assert mock.refusal("POST", "/v1/send", {"origin": "http://localhost:3000"}, {"payload": "{}", "token": TOKEN}) == 403
    # Pictures, scripts and frames have no Origin.
    for site in ["cross-site", "same-site"]:
        assert mock.refusal("GET", "/v1/pushes", {"sec-fetch-site": site, "sec-fetch-mode": "no-cors"}) == 403
        assert mock.refusal("GET", "/js/main.js", {"sec-fetch-site": site, "sec-fetch-mode": "no-cors"}) == 403
    # A link to the page may stand anywhere, and its own requests are its own.
    with urllib.request.urlopen(urllib.request.Request(f"{mock.url}/", headers={"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}), timeout=300) as answer:
        assert answer.status == 200
    assert mock.api("GET", "/v1/pushes/count", headers={"sec-fetch-site": "same-origin", "origin": f"http://{host}"})["count"] >= 0
    # There is no WebSocket; a stranger's is refused before that.
    assert mock.refusal("GET", "/v1/events", {"connection": "Upgrade", "upgrade": "websocket", "origin": "http://attacker.example", "sec-websocket-version": "13", "sec-websocket-key": "x"}) == 403


def test_a_strange_page_in_the_browser_can_read_nothing(browser, mock):
    """A page of a file has the origin null: its requests and its event stream are refused by the mock and by the browser."""
    browser.open("data:text/html,<title>strange", fragment="", query="", ready=False)
    result = browser.driver.execute_async_script(
        """
        const [url, done] = arguments;
        const results = {};
        const tries = {
            read: () => fetch(`${url}/v1/pushes`).then((answer) => answer.text()),
            blind: () => fetch(`${url}/v1/pushes`, {mode: 'no-cors'}).then((answer) => answer.text().then((text) => { if (!text) throw new Error('opaque'); })),
            write: () => fetch(`${url}/v1/reset`, {method: 'POST', headers: {'content-type': 'application/json'}, body: '{}'}),
            form: () => fetch(`${url}/v1/reset`, {method: 'POST', mode: 'no-cors', body: '{}'}).then(() => { throw new Error('opaque'); }),
            stream: () => new Promise((resolve, reject) => { const source = new EventSource(`${url}/v1/events`); source.onopen = resolve; source.onerror = () => { source.close(); reject(new Error('refused')); }; }),
            socket: () => new Promise((resolve, reject) => { const socket = new WebSocket(url.replace('http', 'ws') + '/v1/events'); socket.onopen = resolve; socket.onerror = reject; }),
            script: () => new Promise((resolve, reject) => { const script = document.createElement('script'); script.src = `${url}/js/store.js`; script.onload = resolve; script.onerror = reject; document.head.append(script); }),
            picture: () => new Promise((resolve, reject) => { const image = new Image(); image.onload = resolve; image.onerror = reject; image.src = `${url}/assets/mark.svg`; }),
        };
        Promise.all(Object.entries(tries).map(([name, attempt]) => attempt().then(() => { results[name] = 'done'; }, () => { results[name] = 'refused'; }))).then(() => done(results));
        """, mock.url)
    assert set(result.values()) == {"refused"}, result
    mock.send(TOKEN, "-m", "Still here")
    assert mock.total() >= 1


def test_the_page_asks_for_the_access_token_and_keeps_it_in_its_tab(browser, tmp_path):
    secret = "a-secret-token-4711"
    mock = Mock(tmp_path, has_phones=False, access_token=secret)
    try:
        mock.send(TOKEN, "-t", "Hidden", "-m", "x")
        browser.open(mock.url, ready=False)
        browser.until("document.querySelector('dialog.access')?.open === true", "the page asks for the token")
        assert "Hidden" not in browser.script("return document.documentElement.outerHTML")
        browser.press("a-wrong-token", "\ue007")
        browser.until_text("#access-why", "wasn’t the token")
        browser.press(secret, "\ue007")
        browser.until_text("#rows", "Hidden")
        assert secret not in browser.script("return document.documentElement.outerHTML + location.href + document.cookie + JSON.stringify(localStorage)")
        # The events come with the token, too.
        mock.send(TOKEN, "-t", "Live", "-m", "x")
        browser.until_text("#rows", "Live")
        browser.driver.refresh()
        browser.until_text("#rows", "Live")
    finally:
        browser.script("sessionStorage.clear()")
        browser.leave()
        mock.stop()
