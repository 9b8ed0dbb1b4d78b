"""What the service and the mock accept and answer. Members have the names of the OpenAPI documents.

Members that a newer program adds are ignored. A `repr` shows no device token, payload or key.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from functools import lru_cache
from typing import Any, Dict, Generic, List, Mapping, Optional, Tuple, TypeVar, Union, get_args, get_origin, get_type_hints

__all__ = [
    "Accepted", "AppStatus", "Campaign", "Cancelled", "CancelledAll", "Clock", "Count", "DeliveryImport", "Device", "Fact", "FaultCount", "Finding", "GoneToken",
    "HistoryEvent", "InboxPart", "Matches", "MockPush", "Namespace", "Notification", "Outcome", "OutcomeCount", "Page", "PhoneOutcome",
    "Posting", "Problem", "Push", "Redriven", "Refusal", "ReportLine", "Scenario", "SentPush", "Setup", "Statistics", "Status",
    "TestedWebhook", "Try", "Upload", "Violation", "Webhook", "WebhookEvent", "WebhookFailure", "Worker",
]

T = TypeVar("T")


def hidden() -> Any:
    return field(default=None, repr=False)


# --- The service


@dataclass(frozen=True)
class Push:
    """A push to the device of a `token`, to the subscribers of a `channel`, or to all devices of a `user`."""

    payload: Optional[Mapping[str, Any]] = hidden()
    token: Optional[str] = hidden()
    channel: Optional[str] = None
    user: Optional[str] = None
    vars: Optional[Mapping[str, Any]] = hidden()
    app: Optional[str] = None
    topic: Optional[str] = None
    push_type: Optional[str] = None
    priority: Optional[int] = None
    collapse_id: Optional[str] = None
    deliver_at: Union[str, float, None] = None
    expires_at: Union[str, float, None] = None
    ttl: Optional[str] = None
    once: Optional[bool] = None  #: Apple tries once, and does not store the push
    queue_priority: Optional[str] = None
    dedupe_key: Optional[str] = None
    registered_at: Union[str, float, None] = None
    traceparent: Optional[str] = None


@dataclass(frozen=True)
class Finding:
    rule: str = ""
    severity: str = ""
    detail: str = ""
    field: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None
    remedy: Optional[str] = None


@dataclass(frozen=True)
class Problem:
    """A problem document (RFC 9457). `code` is for programs; `detail` and `remedy` are for people."""

    type: str = "about:blank"
    title: str = ""
    status: int = 0
    code: str = ""
    detail: str = ""
    field: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None
    remedy: Optional[str] = None
    findings: Tuple[Finding, ...] = ()
    campaign: Optional[str] = None  #: of an interrupted upload
    outcome: Optional[str] = None  #: of already_finished
    refused: Optional[int] = None
    problems: Tuple[Problem, ...] = ()
    search_column: Optional[int] = None


@dataclass(frozen=True)
class Outcome:
    kind: str = ""
    reason: Optional[str] = None
    detail: Optional[str] = None
    status: Optional[int] = None
    apns_unique_id: Optional[str] = None
    gone_since: Optional[str] = None


@dataclass(frozen=True)
class HistoryEvent:
    at: str = ""
    event: str = ""
    detail: Optional[str] = None


@dataclass(frozen=True)
class Try:
    started_at: Optional[str] = None
    ended: Optional[str] = None
    result: str = ""
    detail: Optional[str] = None
    worker: Optional[str] = None


@dataclass(frozen=True)
class Posting:
    """How far the webhook message of a notification is."""

    state: str = ""
    failures: Optional[int] = None
    next_at: Optional[str] = None
    detail: Optional[str] = None


@dataclass(frozen=True)
class Notification:
    """A push in the queue. `outcome` is `None` until it has ended. From `topic` on, members are those of one notification."""

    id: str = ""
    app: str = ""
    token: Optional[str] = hidden()
    channel: Optional[str] = None
    user: Optional[str] = None
    state: str = ""
    outcome: Optional[Outcome] = None
    queued_at: str = ""
    deliver_at: str = ""
    expires_at: Optional[str] = None
    finished_at: Optional[str] = None
    attempts: int = 0
    queue_priority: str = ""
    dedupe_key: Optional[str] = None
    campaign: Optional[str] = None
    line: Optional[int] = None
    redriven_as: Optional[str] = None
    cursor: Optional[str] = None
    trace_id: Optional[str] = None
    alert: Optional[Dict[str, str]] = hidden()
    topic: Optional[str] = None
    push_type: Optional[str] = None
    priority: Optional[int] = None
    collapse_id: Optional[str] = None
    once: bool = False
    payload: Any = hidden()
    vars: Optional[Dict[str, Any]] = hidden()
    payload_state: Optional[str] = None
    claimed_by: Optional[str] = None
    lost_workers: int = 0
    started_at: Optional[str] = None
    tries: Tuple[Try, ...] = ()
    webhook: Optional[Posting] = None
    history: Tuple[HistoryEvent, ...] = ()


@dataclass(frozen=True)
class Accepted:
    """The answer for one push. `notification` is set if its outcome came within `wait`."""

    result: str = ""
    id: Optional[str] = None
    index: Optional[int] = None  #: in an array with users: which push of the array, from 0
    warnings: Tuple[Finding, ...] = ()
    notification: Optional[Notification] = None
    line: Optional[int] = None  #: in a stream: which push of the iterable, from 1
    items: Tuple[Accepted, ...] = ()  #: in a stream: the answer for each device of a user
    devices: Optional[int] = None  #: in a stream: how many devices the user has
    problem: Optional[Problem] = None  #: in a stream: why the push was refused; `result` is "invalid"


@dataclass(frozen=True)
class Page(Generic[T]):
    items: Tuple[T, ...] = ()
    next: Union[str, int, None] = None
    gap: bool = False  #: results: outcomes were deleted before you read them
    devices: Optional[int] = None  #: sent to users: how many pushes; 0 if the user has no device


@dataclass(frozen=True)
class Cancelled:
    id: str = ""
    result: str = ""
    detail: Optional[str] = None


@dataclass(frozen=True)
class CancelledAll:
    cancelled: int = 0
    unknown: int = 0  #: won't be sent any more either, but an earlier try may have reached Apple
    matching: Optional[int] = None  #: with `dry_run`
    more: Optional[bool] = None  #: with `dry_run`: whether there are more than were counted


@dataclass(frozen=True)
class Refusal:
    line: int = 0
    code: str = ""
    detail: str = ""
    field: Optional[str] = None
    remedy: Optional[str] = None
    outcome: Optional[str] = None
    reason: Optional[str] = None


@dataclass(frozen=True)
class Upload:
    accepted: int = 0
    repeated: int = 0
    refused: int = 0
    refusals: Tuple[Refusal, ...] = ()
    next_line: int = 1
    doubled: int = 0  #: lines with the token of an earlier line; `upload` compares only those of one batch
    doubled_lines: Tuple[int, ...] = ()
    unfilled: Tuple[str, ...] = ()


@dataclass(frozen=True)
class OutcomeCount:
    kind: str = ""
    reason: Optional[str] = None
    count: int = 0


@dataclass(frozen=True)
class Campaign:
    id: str = ""
    app: str = ""
    name: str = ""
    state: str = ""
    open: bool = False
    created_at: str = ""
    started_at: Optional[str] = None
    ended_at: Optional[str] = None
    starts_at: Optional[str] = None
    expires_at: Optional[str] = None
    estimated_end: Optional[str] = None
    rate: Optional[float] = None
    rate_now: float = 0
    next_line: int = 1
    lines: Dict[str, int] = field(default_factory=dict)
    outcomes: Tuple[OutcomeCount, ...] = ()
    topic: Optional[str] = None
    push_type: Optional[str] = None
    priority: Optional[int] = None
    collapse_id: Optional[str] = None
    expires: Optional[str] = None
    queue_priority: Optional[str] = None
    token_column: Optional[str] = None
    has_payload: bool = False
    audience: Optional[str] = None
    problem: Optional[str] = None  #: why the service has paused the campaign
    warnings: Tuple[Finding, ...] = ()
    upload: Optional[Upload] = None

    @property
    def has_ended(self) -> bool:
        return self.state in ("finished", "cancelled")


@dataclass(frozen=True)
class ReportLine:
    line: int = 0
    after: Optional[int] = None  #: of a further device of a user
    outcome: Optional[str] = None
    state: Optional[str] = None  #: without an outcome
    reason: Optional[str] = None
    status: Optional[int] = None
    token: Optional[str] = hidden()
    ref: Any = None
    id: Optional[str] = None
    apns_id: Optional[str] = None
    apns_unique_id: Optional[str] = None
    attempts: Optional[int] = None
    finished_at: Optional[str] = None
    gone_since: Optional[str] = None
    code: Optional[str] = None
    detail: Optional[str] = None
    field: Optional[str] = None
    remedy: Optional[str] = None


@dataclass(frozen=True)
class Redriven:
    id: str = ""
    result: str = ""
    redriven_as: Optional[str] = None
    deliver_at: Optional[str] = None
    expires_at: Optional[str] = None
    changes: Tuple[str, ...] = ()


@dataclass(frozen=True)
class GoneToken:
    token: str = field(default="", repr=False)
    gone_since: str = ""


@dataclass(frozen=True)
class DeliveryImport:
    """How the import of Apple's delivery counts goes."""

    imported_at: Optional[str] = None
    failure: Optional[str] = None
    next_at: Optional[str] = None


@dataclass(frozen=True)
class AppStatus:
    name: str = ""
    state: str = ""
    reason: Optional[str] = None
    warnings: Tuple[str, ...] = ()
    delivery: Optional[DeliveryImport] = None
    recipients: Optional[str] = None
    connected: bool = False
    credentials: str = ""
    certificate_days_left: Optional[int] = None
    in_flight: int = 0
    oldest_due_seconds: Optional[int] = None
    counts: Dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Worker:
    name: str = ""
    version: str = ""
    seen_at: str = ""
    lost: bool = False


@dataclass(frozen=True)
class InboxPart:
    inbox: str = ""
    part: str = ""
    works: bool = False
    reason: Optional[str] = None
    warning: Optional[str] = None
    warned_at: Optional[str] = None


@dataclass(frozen=True)
class Status:
    version: str = ""
    apps: Tuple[AppStatus, ...] = ()
    workers: Tuple[Worker, ...] = ()
    inboxes: Tuple[InboxPart, ...] = ()
    now: str = ""


@dataclass(frozen=True)
class Count:
    """By reason: `kind`, `reason`, `count`. By app or minute: `app` or `at`, and how many of each outcome."""

    kind: Optional[str] = None
    reason: Optional[str] = None
    count: int = 0
    app: Optional[str] = None
    at: Optional[str] = None
    accepted: int = 0
    rejected: int = 0
    unknown: int = 0
    not_sent: int = 0


@dataclass(frozen=True)
class Statistics:
    since: str = ""
    now: str = ""
    by: str = ""
    items: Tuple[Count, ...] = ()


@dataclass(frozen=True)
class WebhookFailure:
    at: str = ""
    id: str = ""
    detail: str = ""
    given_up: bool = False
    body: Optional[Dict[str, Any]] = hidden()


@dataclass(frozen=True)
class Webhook:
    app: str = ""
    url: str = ""
    state: str = ""
    outcomes: Tuple[str, ...] = ()
    waiting: int = 0
    oldest_waiting_at: Optional[str] = None
    last_answer: Optional[str] = None
    last_answer_at: Optional[str] = None
    failing_since: Optional[str] = None
    failures: Tuple[WebhookFailure, ...] = ()


@dataclass(frozen=True)
class TestedWebhook:
    __test__ = False  # for pytest

    result: str = ""
    detail: Optional[str] = None


@dataclass(frozen=True)
class WebhookEvent:
    """A verified message. `id` is the same in each repetition; `type` is such as notification.accepted."""

    type: str = ""
    timestamp: str = ""
    data: Notification = Notification()
    id: str = ""


# --- The mock


@dataclass(frozen=True)
class Fact:
    id: str = ""
    fact: str = ""
    confidence: str = ""
    detail: Optional[str] = None


@dataclass(frozen=True)
class PhoneOutcome:
    kind: str = ""
    text: str = ""
    why: Optional[str] = None
    replaces: Optional[int] = None
    replaced_by: Optional[int] = None


@dataclass(frozen=True)
class MockPush:
    """A request that reached the mock."""

    number: int = 0
    time: str = ""
    time_ms: Optional[int] = None
    connection: int = 0
    stream: int = 0
    environment: str = ""
    peer: str = ""
    method: str = ""
    path: str = field(default="", repr=False)
    token: str = field(default="", repr=False)
    topic: Optional[str] = None
    push_type: Optional[str] = None
    priority: Optional[str] = None
    expiration: Optional[str] = None
    collapse_id: Optional[str] = None
    channel_id: Optional[str] = None
    key_id: Optional[str] = None
    team_id: Optional[str] = None
    token_issued_at: Optional[str] = None
    certificate: Optional[str] = None
    payload: str = field(default="", repr=False)
    payload_bytes: Optional[int] = None
    status: int = 0
    reason: Optional[str] = None
    timestamp: Optional[int] = None
    delivery: Optional[str] = None
    apns_id: Optional[str] = None
    apns_unique_id: Optional[str] = None
    apns_request_id: Optional[str] = None
    check: Optional[str] = None
    detail: Optional[str] = None
    remedy: Optional[str] = None
    fault: Optional[int] = None
    fault_name: Optional[str] = None
    fact_id: str = ""
    fact: str = ""
    confidence: str = ""
    allowances: Tuple[Fact, ...] = ()
    violations: Tuple[Fact, ...] = ()
    answered: bool = True
    phone: Optional[str] = None
    outcome: Optional[PhoneOutcome] = None
    headers: Tuple[Dict[str, str], ...] = field(default=(), repr=False)
    timeline: Tuple[Dict[str, Any], ...] = field(default=(), repr=False)
    card: Optional[Dict[str, Any]] = hidden()


@dataclass(frozen=True)
class Matches:
    detail: str = ""
    holds: bool = False
    count: int = 0
    matches: Tuple[MockPush, ...] = ()


@dataclass(frozen=True)
class FaultCount:
    id: int = 0
    name: str = ""
    applied: int = 0
    is_active: bool = False
    fault: Optional[Dict[str, Any]] = None


@dataclass(frozen=True)
class Device:
    token: str = field(default="", repr=False)
    topics: Tuple[str, ...] = ()
    environment: Optional[str] = None
    state: str = ""
    since: Optional[str] = None
    online: Optional[bool] = None
    notifications: Optional[bool] = None


@dataclass(frozen=True)
class Clock:
    now: str = ""
    is_moved: bool = False
    is_stopped: bool = False


@dataclass(frozen=True)
class Scenario:
    name: str = ""
    description: str = ""
    faults: Optional[int] = None
    devices: Optional[int] = None


@dataclass(frozen=True)
class Violation:
    number: int = 0
    time: str = ""
    connection: int = 0
    push: Optional[int] = None
    rejected: bool = False
    id: str = ""
    fact: str = ""
    confidence: str = ""
    detail: Optional[str] = None


@dataclass(frozen=True)
class Namespace:
    name: str = ""
    port: int = 0
    key_ids: Tuple[str, ...] = ()
    environment: str = ""
    pushes: int = 0
    sandbox_channels_port: Optional[int] = None
    production_channels_port: Optional[int] = None


@dataclass(frozen=True)
class SentPush:
    status: int = 0
    reason: Optional[str] = None
    apns_id: Optional[str] = None
    key_id: str = ""


@dataclass(frozen=True)
class Setup:
    """Where senders find the mock, and what they trust."""

    version: str = ""
    namespace: Optional[str] = None
    url: str = ""
    host: str = ""
    port: int = 0
    environment: str = ""
    key_id: str = ""
    team_id: str = ""
    ca_pem: str = field(default="", repr=False)
    mock_flags: Optional[str] = None
    instance: Optional[str] = None
    sandbox_channels_port: Optional[int] = None
    production_channels_port: Optional[int] = None
    key_ids: Tuple[str, ...] = ()
    ca_file: Optional[str] = None
    key_file: Optional[str] = None
    abilities: Tuple[str, ...] = ()
    files: Dict[str, str] = field(default_factory=dict)
    magic_tokens: Tuple[Dict[str, str], ...] = ()
    clients: Dict[str, str] = field(default_factory=dict)


# --- From and to JSON


def unknown(kind: type, members: List[str]) -> None:
    """Members that a type lacks are ignored. The contract tests replace this function."""


@lru_cache(maxsize=None)
def _hints(kind: type) -> Dict[str, Any]:
    return get_type_hints(kind)


def read(kind: Any, value: Any) -> Any:
    """A value of the type `kind` from decoded JSON."""
    origin, arguments = get_origin(kind), get_args(kind)
    if value is None or kind is Any:
        return value
    if origin is Union:
        return read(next(each for each in arguments if each is not type(None)), value)
    if origin is tuple:
        return tuple(read(arguments[0], each) for each in value)
    made: Any = origin or kind
    if not (isinstance(made, type) and is_dataclass(made) and isinstance(value, dict)):
        return value
    hints = _hints(made)
    lacking = [name for name in value if name not in hints]
    if lacking:
        unknown(made, lacking)
    known = {name: value[name] for name in hints if value.get(name) is not None}
    if arguments:
        return made(**{k: read(Tuple[arguments[0], ...], v) if k == "items" else v for k, v in known.items()})
    return made(**{name: read(hints[name], member) for name, member in known.items()})


def members(value: Any) -> Dict[str, Any]:
    """The members of a dataclass that are set. A mapping stays as it is."""
    if is_dataclass(value):
        pairs = ((each.name, getattr(value, each.name)) for each in fields(value))
        return {name: member for name, member in pairs if member is not None}
    return dict(value)
