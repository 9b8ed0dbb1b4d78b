"""Chromium with the inbox in it."""
import base64
import json
import os
import shutil

from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException, ElementNotInteractableException, StaleElementReferenceException, TimeoutException)
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

# The widths of the page: three columns, narrow columns, one column.
WIDE, MIDDLE, NARROW = (1440, 900), (1024, 768), (390, 844)
PATIENCE = 300
# Seconds between two looks at the page.
PACE = 0.05

# Holds back one answer to a request whose address ends with this text. The server has answered, but the page does not know it yet.
HOLD = """
window.held = [];
window.holdNext = (end) => {
    const ask = window.fetch;
    window.fetch = async (address, options) => {
        if (!String(address).endsWith(end)) return ask(address, options);
        window.fetch = ask;
        const answer = await ask(address, options);
        const text = await answer.text();
        await new Promise((resolve) => held.push(resolve));
        return new Response(text, {status: answer.status, headers: answer.headers});
    };
};
"""


class Browser:
    def __init__(self):
        options = webdriver.ChromeOptions()
        # No request may leave this machine, and none does: see test_security.py.
        for flag in ["--headless=new", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars", "--force-prefers-reduced-motion", "--lang=en-GB"]:
            options.add_argument(flag)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        # Both are named, so that Selenium does not look for others on the network.
        options.binary_location = shutil.which("chromium") or shutil.which("google-chrome")
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "UTC"})
        self.driver.set_script_timeout(PATIENCE)
        self.size(WIDE)
        self.mock_url = None

    def quit(self):
        self.driver.quit()

    def leave(self):
        """Ends the page, so that the mock has no reader of events any more."""
        self.driver.get("about:blank")

    # Pages

    def open(self, url, fragment="#/inbox", query="", ready=True):
        self.mock_url = url
        self.driver.get("about:blank")
        self.point_away()
        self.driver.get(f"{url}/{query}{fragment}")
        if ready:
            self.until("document.documentElement.dataset.ready !== undefined", "the page is ready")

    def go(self, fragment):
        self.point_away()
        self.script("location.hash = arguments[0]", fragment)

    def open_push(self, number):
        self.script("delete document.documentElement.dataset.detail")
        self.go(f"#/push/{number}")
        self.until(f"document.documentElement.dataset.detail === '{number}'", f"push {number} is shown")

    def size(self, size):
        width, height = size
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def theme(self, name):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": name}]})

    # Elements

    def script(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        """The text as it is in the document, also where it is cut on the screen; nothing if there is no such element."""
        return self.script("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def texts(self, selector):
        return self.script("return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent)", selector)

    def count(self, selector):
        return self.script("return document.querySelectorAll(arguments[0]).length", selector)

    def click(self, selector, text=None):
        """Presses an element, the first with this text, as soon as it can be pressed."""
        def press(_):
            for element in self.all(selector):
                if element.is_enabled() and (text is None or text in element.text):
                    element.click()
                    return True
            return False
        not_yet = [StaleElementReferenceException, ElementClickInterceptedException, ElementNotInteractableException]
        WebDriverWait(self.driver, PATIENCE, PACE, ignored_exceptions=not_yet).until(press, f"{selector} {text or ''} can be pressed")

    def press(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def point(self, selector):
        ActionChains(self.driver).move_to_element(self.find(selector)).perform()

    def point_at(self, x, y):
        actions = ActionBuilder(self.driver)
        actions.pointer_action.move_to_location(x, y)
        actions.perform()

    def point_away(self):
        """Moves the pointer to the corner: new rows wait while it is on a row."""
        self.point_at(0, 0)

    def focused(self):
        """What has the focus, in words."""
        return self.script("const one = document.activeElement; return one.id || one.dataset.n || one.getAttribute('aria-label') || one.textContent.trim().slice(0, 40)")

    # Waiting

    def until(self, condition, why, *arguments):
        return WebDriverWait(self.driver, PATIENCE, PACE, ignored_exceptions=[StaleElementReferenceException]).until(
            lambda driver: driver.execute_script(f"return {condition}", *arguments), why)

    def until_text(self, selector, part):
        try:
            self.until("[...document.querySelectorAll(arguments[0])].some((each) => each.textContent.includes(arguments[1]))", "", selector, part)
        except TimeoutException:
            raise AssertionError(f"{selector} does not say {part!r}, but {self.texts(selector)}") from None

    # Answers that come late

    def hold(self, end):
        """Holds back the next answer to a request whose address ends with this."""
        self.script(HOLD + "holdNext(arguments[0])", end)

    def hold_from_the_start(self, end):
        """Holds back the first such answer of the next page. Returns what ends that for later pages."""
        script = self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": f"{HOLD} holdNext({json.dumps(end)})"})
        return lambda: self.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)

    def until_held(self):
        self.until("held.length === 1", "the answer is held back")

    def release(self):
        """Gives the answer to the page, and lets the page use it."""
        self.driver.execute_async_script("held.pop()(); fetch('js/main.js').then((answer) => answer.text()).then(() => setTimeout(arguments[0]))")

    # Evidence

    def watch(self):
        for kind in ["browser", "performance"]:
            self.driver.get_log(kind)

    def complaints(self):
        """What the browser complained of: scripts that failed, contents that the policy refused. A 404 or 409 of the API is none."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] == "SEVERE" and "Failed to load resource: the server responded with a status of" not in entry["message"]]

    def requests(self):
        """The addresses that the browser has asked since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"]

    def picture(self, folder, name):
        # Until all pictures are there and nothing moves any more.
        self.until("[...document.images].every((each) => each.complete && each.src)", "all pictures are there")
        data = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
        (folder / f"{name}.png").write_bytes(base64.b64decode(data))


__all__ = ["Browser", "By", "Keys", "MIDDLE", "NARROW", "WIDE"]
