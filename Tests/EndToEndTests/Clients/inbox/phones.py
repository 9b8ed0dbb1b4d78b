"""The phones of the browser tests: two iPhones and an old iPad, with the apps that the payloads of the examples are for."""
import base64
import pathlib

PIER = pathlib.Path(__file__).with_name("pier.jpg")
PHOTO_ADDRESS = "https://example.com/photos/4711.jpg"


def app(topic, name, glyph, hue, **more):
    return {"topic": f"com.example.{topic}", "name": name, "glyph": glyph, "hue": hue, **more}


def action(id, title, icon, **more):
    return {"id": id, "title": title, "icon": icon, **more}


CHAT = app(
    "chat", "Pier", "chat", "teal",
    categories=[
        {
            "id": "PHOTO", "custom_dismiss": True,
            "actions": [
                action("REPLY", "Reply", "reply", kind="text", placeholder="Message", button="Send"),
                action("SAVE", "Save to Photos", "down", authentication_required=True),
                action("LIKE", "Like", "heart"),
                action("BLOCK", "Block Nora", "block", kind="destructive"),
            ],
        },
        {"id": "PHOTO_CARD", "actions": [action("LIKE", "Like", "heart"), action("OPEN", "Open", "eye", foreground=True)]},
    ],
    service_extension={"takes": "1.61s", "attaches": {"key": "attachment-url", "files": {PHOTO_ADDRESS: {"name": PIER.name, "base64": base64.b64encode(PIER.read_bytes()).decode()}}}},
    content_extensions=[
        {
            "categories": ["PHOTO_CARD"], "shows": ["title", "description", "imageName"], "hides_default": True, "ratio": 0.6,
            "answers": {"LIKE": "keep"}, "replaces": {"LIKE": [action("UNLIKE", "Unlike", "heart")]},
        }
    ],
)
BAKERY = app(
    "bakery", "Harbour Bakery", "bread", "amber",
    live_activities=[
        {"type": "DeliveryAttributes", "title": "Order 42", "line": "{status}", "time": "arrival", "progress": {"left": "stopsLeft", "of": "5"}}
    ],
)
AGENDA = app(
    "agenda", "Agenda", "calendar", "blue",
    categories=[
        {
            "id": "MEETING_INVITATION",
            "actions": [action("ACCEPT", "Accept", "check"), action("DECLINE", "Decline", "cross", kind="destructive")],
        }
    ],
    service_extension={
        "takes": "200ms",
        "rewrites": {
            "key": "reminder-uuid",
            "entries": {"0b5f5c0e-6b0a-4f5d-9a53-0c8f6a5d2f11": {"title": "Dentist", "body": "Tomorrow at nine."}},
        },
    },
)

DESK = {
    "id": "desk", "name": "Desk iPhone", "os": "iOS 26.1", "note": "Everything allowed", "muted": True,
    "apps": [
        CHAT, BAKERY, app("scores", "Matchday", "ball", "green"), app("home", "Hearth", "flame", "red"), app("cab", "Cab", "car", "ink"), AGENDA,
        app("reader", "Reader", "book", "violet", permission="provisional"),
    ],
}
QA_TOKEN = "9a" * 32
QA = {
    "id": "qa", "name": "QA iPhone", "os": "iOS 18.7", "note": "Agenda denied",
    "apps": [{**CHAT, "tokens": [QA_TOKEN]}, {**AGENDA, "permission": "denied", "tokens": ["9b" * 32]}],
}
