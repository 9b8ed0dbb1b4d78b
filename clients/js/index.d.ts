// Members have the names of the API. Newer programs can add some.

/** A push to the device of a `token`, to the subscribers of a `channel`, or to all devices of a `user`. */
export interface Push {
  payload: Record<string, unknown>
  token?: string
  channel?: string
  user?: string
  vars?: Record<string, unknown>
  app?: string
  topic?: string
  push_type?: string
  priority?: number
  collapse_id?: string
  deliver_at?: string | number
  expires_at?: string | number
  ttl?: string
  /** Apple tries once, and does not store the push. */
  once?: boolean
  queue_priority?: string
  dedupe_key?: string
  registered_at?: string | number
  traceparent?: string
}

export interface Finding {
  rule: string
  severity: string
  detail: string
  field?: string
  line?: number
  column?: number
  remedy?: string
}

export interface Problem {
  type: string
  title: string
  status: number
  code: string
  detail: string
  field?: string
  line?: number
  column?: number
  remedy?: string
  findings?: Finding[]
  campaign?: string
  outcome?: string
  refused?: number
  problems?: PushProblem[]
  search_column?: number
}

/** The problem of one push of an array or a stream. */
export type PushProblem = Pick<Problem, 'code' | 'detail' | 'field' | 'line' | 'column' | 'remedy' | 'findings'>

export interface Outcome {
  kind: string
  reason?: string
  detail?: string
  status?: number
  apns_unique_id?: string
  gone_since?: string
}

export interface HistoryEvent {
  at: string
  event: string
  detail?: string
}

export interface Try {
  started_at?: string
  ended: string | null
  result: string
  detail?: string
  worker?: string
}

/** How far the webhook message of a notification is. */
export interface Posting {
  state: string
  failures?: number
  next_at?: string
  detail?: string
}

/** A push in the queue. It has an `outcome` once it has ended. From `topic` on, members are those of one notification. */
export interface Notification {
  id: string
  app: string
  token?: string
  channel?: string
  user?: string
  state: string
  outcome?: Outcome
  queued_at: string
  deliver_at: string
  expires_at?: string
  finished_at?: string
  attempts: number
  queue_priority: string
  dedupe_key?: string
  campaign?: string
  line?: number
  redriven_as?: string
  cursor?: string
  trace_id?: string
  alert?: { title?: string; body?: string }
  topic?: string
  push_type?: string
  priority?: number
  collapse_id?: string
  once?: boolean
  payload?: unknown
  vars?: Record<string, unknown>
  payload_state?: string
  claimed_by?: string
  lost_workers?: number
  started_at?: string
  tries?: Try[]
  webhook?: Posting
  history?: HistoryEvent[]
}

/** The answer for one push. `line` and `problem` are those of a stream. */
export interface Accepted {
  result: string
  id?: string
  /** In an array with users: which push of the array, from 0. */
  index?: number
  warnings?: Finding[]
  notification?: Notification
  line?: number
  /** In a stream with users: the answer for each device. */
  items?: Accepted[]
  devices?: number
  problem?: PushProblem
}

/** The answer for users: an item for each push. `devices` is 0 if the user has no device. */
export interface AcceptedItems {
  items: Accepted[]
  devices?: number
}

export interface Page<T> {
  items: T[]
  next: string | number | null
  gap?: boolean
}

export interface Cancelled {
  id: string
  result: string
  detail?: string
}

export interface CancelledAll {
  cancelled: number
  /** They won't be sent any more either, but an earlier try may have reached Apple. */
  unknown: number
  /** With `dry_run`. */
  matching?: number
  /** With `dry_run`: whether there are more than were counted. */
  more?: boolean
}

export interface Refusal {
  line: number
  code: string
  detail: string
  field?: string
  remedy?: string
  outcome?: string
  reason?: string
}

export interface Upload {
  accepted: number
  repeated: number
  refused: number
  refusals: Refusal[]
  next_line: number
  /** Lines with the token of an earlier line; `upload` compares only those of one batch. */
  doubled?: number
  doubled_lines?: number[]
  unfilled?: string[]
}

export interface OutcomeCount {
  kind: string
  reason?: string
  count: number
}

export interface Campaign {
  id: string
  app: string
  name: string
  state: string
  open: boolean
  created_at: string
  started_at?: string
  ended_at?: string
  starts_at?: string
  expires_at?: string
  estimated_end?: string
  rate: number | null
  rate_now: number
  next_line: number
  lines: Record<string, number>
  outcomes?: OutcomeCount[]
  topic?: string
  push_type?: string
  priority?: number
  collapse_id?: string
  expires?: string
  queue_priority?: string
  token_column?: string
  has_payload?: boolean
  audience?: string
  /** Why the service has paused the campaign. */
  problem?: string
  warnings?: Finding[]
  upload?: Upload
}

export interface ReportLine {
  line: number
  /** Of a further device of a user. */
  after?: number
  outcome?: string
  state?: string
  reason?: string
  status?: number
  token?: string
  ref: unknown
  id?: string
  apns_id?: string
  apns_unique_id?: string
  attempts?: number
  finished_at?: string
  gone_since?: string
  code?: string
  detail?: string
  field?: string
  remedy?: string
}

export interface Redriven {
  id: string
  result: string
  redriven_as?: string
  deliver_at?: string
  expires_at?: string
  changes: string[]
}

export interface GoneToken {
  token: string
  gone_since: string
}

/** How the import of Apple's delivery counts goes. */
export interface DeliveryImport {
  imported_at?: string
  failure?: string
  next_at?: string
}

export interface AppStatus {
  name: string
  state: string
  reason?: string
  warnings?: string[]
  delivery?: DeliveryImport
  recipients?: string
  connected: boolean
  credentials: string
  certificate_days_left?: number
  in_flight: number
  oldest_due_seconds?: number
  counts: Record<string, number>
}

export interface Worker {
  name: string
  version: string
  seen_at: string
  lost?: boolean
}

export interface InboxPart {
  inbox: string
  part: string
  works: boolean
  reason?: string
  warning?: string
  warned_at?: string
}

export interface Status {
  version: string
  apps: AppStatus[]
  workers?: Worker[]
  inboxes?: InboxPart[]
  now: string
}

/** By reason: `kind`, `reason`, `count`. By app or minute: `app` or `at`, and how many of each outcome. */
export interface Count {
  kind?: string
  reason?: string
  count?: number
  app?: string
  at?: string
  accepted?: number
  rejected?: number
  unknown?: number
  not_sent?: number
}

export interface Statistics {
  since: string
  now: string
  by: string
  items: Count[]
}

export interface WebhookFailure {
  at: string
  id: string
  detail: string
  given_up: boolean
  body: Record<string, unknown>
}

export interface Webhook {
  app: string
  url: string
  state: string
  outcomes: string[]
  waiting: number
  oldest_waiting_at?: string
  last_answer?: string
  last_answer_at?: string
  failing_since?: string
  failures: WebhookFailure[]
}

export interface TestedWebhook {
  result: string
  detail?: string
}

export interface WebhookEvent {
  type: string
  timestamp: string
  data: Notification
  id: string
}

export interface Fact {
  id: string
  fact: string
  confidence: string
  detail?: string
}

export interface PhoneOutcome {
  kind: string
  text: string
  why?: string
  replaces?: number
  replaced_by?: number
}

/** A request that reached the mock. */
export interface MockPush {
  number: number
  time: string
  time_ms?: number
  connection: number
  stream: number
  environment?: string
  peer?: string
  method: string
  path: string
  token: string
  topic?: string
  push_type?: string
  priority?: string
  expiration?: string
  collapse_id?: string
  channel_id?: string
  key_id?: string
  team_id?: string
  token_issued_at?: string
  certificate?: string
  payload: string
  payload_bytes?: number
  status: number
  reason?: string
  timestamp?: number
  delivery?: string
  apns_id?: string
  apns_unique_id?: string
  apns_request_id?: string
  check?: string
  detail?: string
  remedy?: string
  fault?: number
  fault_name?: string
  fact_id: string
  fact: string
  confidence: string
  allowances?: Fact[]
  violations?: Fact[]
  answered?: boolean
  phone?: string
  outcome?: PhoneOutcome
  headers?: (Record<string, string>)[]
  timeline?: (Record<string, unknown>)[]
  card?: Record<string, unknown>
}

export interface Matches {
  detail: string
  holds: boolean
  count: number
  matches: MockPush[]
}

export interface FaultCount {
  id: number
  name: string
  applied: number
  is_active: boolean
  fault?: Record<string, unknown>
}

export interface Device {
  token: string
  topics?: string[]
  environment?: string
  state: string
  since?: string
  online?: boolean
  notifications?: boolean
}

export interface Clock {
  now: string
  is_moved: boolean
  is_stopped: boolean
}

export interface Scenario {
  name: string
  description: string
  faults?: number
  devices?: number
}

export interface Violation {
  number: number
  time: string
  connection: number
  push?: number
  rejected: boolean
  id: string
  fact: string
  confidence: string
  detail?: string
}

export interface Namespace {
  name: string
  port: number
  key_ids?: string[]
  environment: string
  pushes: number
  sandbox_channels_port?: number
  production_channels_port?: number
}

export interface SentPush {
  status: number
  reason?: string
  apns_id?: string
  key_id: string
}

export interface Setup {
  version?: string
  namespace?: string
  url: string
  host: string
  port: number
  environment: string
  key_id: string
  team_id: string
  ca_pem: string
  mock_flags?: string
  instance?: string
  sandbox_channels_port?: number
  production_channels_port?: number
  key_ids?: string[]
  ca_file?: string
  key_file?: string
  abilities?: string[]
  files?: Record<string, string>
  magic_tokens?: { token: string; answer: string }[]
  clients?: Record<string, string>
}

// --- Clients

export class PushError extends Error {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly field?: string
  readonly remedy?: string
  /** How long the service asked to wait, in seconds. */
  readonly retryAfter?: number
  /** That of the call, with which you can repeat it. */
  readonly idempotencyKey?: string
  readonly problem: Problem
}

export interface ClientOptions {
  /** How long an answer may take, in seconds: 30. */
  timeout?: number
  /** How often a request is repeated at most: 3. */
  retries?: number
  /** The longest pause before a repetition, in seconds: 60. */
  longestPause?: number
  fetch?: typeof fetch
}

export interface RequestOptions {
  query?: Record<string, unknown>
  body?: unknown
  headers?: Record<string, string>
  repeatable?: boolean
}

type App = { app?: string }
type Listing = App & { limit?: number; after?: string }
type Alerts = { alerts?: boolean }
type Search = Alerts & {
  ids?: string[]; outcome?: string; state?: string; token?: string; collapse_id?: string; dedupe_key?: string; due_before?: string
}
type Matching = { token?: string; collapse_id?: string; due_before?: string | number; dry_run?: boolean; suspected?: boolean }
type Newest = Listing & Alerts & { outcome?: string; reason?: string; campaign?: string; since?: string; before?: string }
type Source<T> = Iterable<T> | AsyncIterable<T>

export class Results implements AsyncIterable<Notification> {
  cursor: string | undefined
  gap: boolean
  [Symbol.asyncIterator](): AsyncIterator<Notification>
}

export class PushService {
  constructor(url: string, key: string, options?: ClientOptions)
  readonly url: string
  request<T = unknown>(method: string, path: string, options?: RequestOptions): Promise<T>
  send(push: Push & { user?: undefined }, options?: { wait?: number; idempotencyKey?: string; validateOnly?: boolean }): Promise<Accepted>
  sendToUser(push: Push & { user: string }, options?: { idempotencyKey?: string; validateOnly?: boolean }): Promise<AcceptedItems>
  sendAll(pushes: Push[], options?: { idempotencyKey?: string; validateOnly?: boolean }): Promise<Accepted[]>
  sendStream(pushes: Source<Push>, options?: { batch?: number }): AsyncGenerator<Accepted>
  notification(id: string, query?: App & { history?: boolean }): Promise<Notification>
  notifications(query?: Listing & Search): Promise<Page<Notification>>
  cancel(id: string, query?: App): Promise<Cancelled>
  cancelAll(options?: App & Matching): Promise<CancelledAll>
  resultsPage(query?: Listing): Promise<Page<Notification>>
  results(after?: string, options?: App & { follow?: boolean }): Results
  newestResults(query?: Newest): Promise<Page<Notification>>
  statistics(query?: App & { since?: string; by?: 'reason' | 'app' | 'minute' }): Promise<Statistics>
  deadLetters(query?: Listing & Alerts): Promise<Page<Notification>>
  redrive(ids: string[], options?: App & { ttl?: string }): Promise<{ items: Redriven[]; next: null }>
  goneTokens(query?: Listing): Promise<Page<GoneToken>>
  forgetGoneToken(token: string, query?: App): Promise<void>
  export(token: string, options?: App): Promise<Record<string, unknown>[]>
  erase(token: string, options?: App): Promise<number>
  each<T, Q extends object>(list: (query?: Q) => Promise<Page<T>>, query?: Q): AsyncGenerator<T>
  makeCampaign(campaign: NewCampaign, options?: { idempotencyKey?: string }): Promise<Campaign>
  upload<Line extends { token: string } | { user: string }>(id: string, lines: Source<Line>, options?: App & { first?: number; batch?: number }): Promise<Upload>
  campaign(id: string, query?: App): Promise<Campaign>
  campaigns(query?: Listing): Promise<Page<Campaign>>
  changeRate(id: string, rate: number | null, query?: App): Promise<Campaign>
  startCampaign(id: string, query?: App & { open?: boolean; unfilled?: boolean }): Promise<Campaign>
  closeCampaign(id: string, query?: App): Promise<Campaign>
  pauseCampaign(id: string, query?: App): Promise<Campaign>
  resumeCampaign(id: string, query?: App): Promise<Campaign>
  cancelCampaign(id: string, query?: App): Promise<Campaign>
  watch(id: string, options?: App & { every?: number }): AsyncGenerator<Campaign>
  report(id: string, options?: App & { onlyFailures?: boolean; after?: number }): AsyncGenerator<ReportLine>
  pauseApp(name: string, options?: { reason?: string }): Promise<void>
  resumeApp(name: string): Promise<void>
  status(query?: App): Promise<Status>
  webhooks(query?: App): Promise<Page<Webhook>>
  testWebhook(app: string): Promise<TestedWebhook>
  retryWebhook(app: string): Promise<void>
  ready(): Promise<true>
}

export interface NewCampaign {
  name: string
  app?: string
  payload?: Record<string, unknown>
  topic?: string
  push_type?: string
  priority?: number
  collapse_id?: string
  expires?: string | number
  queue_priority?: string
  token_column?: string
  audience?: string
  rate?: number
  starts_at?: string | number
  expires_at?: string | number
}

export interface CampaignLine {
  token: string
  ref?: unknown
  [value: string]: unknown
}

/** A line to all devices of a user. */
export interface UserLine {
  user: string
  ref?: unknown
  [value: string]: unknown
}

export class WebhookError extends Error {
  /** What to answer. */
  readonly status: 400 | 425
}

export function verifyWebhook(
  body: string | Uint8Array,
  headers: Record<string, unknown> | { entries(): IterableIterator<[string, string]> },
  secrets: string | undefined | (string | undefined)[],
  options?: { tolerance?: number; now?: number },
): WebhookEvent

export interface Expected {
  within?: number
  atLeast?: number
  exactly?: number
  /** Only pushes with a higher number count. */
  after?: number
}

export interface Fault {
  steps: unknown[]
  when?: Record<string, unknown>
  times?: number
  at?: string
  name?: string
}

export class Mock {
  constructor(url: string, options?: { accessToken?: string; namespace?: string; environment?: Record<string, string>; timeout?: number })
  static start(options?: { options?: string[]; program?: string; timeout?: number }): Promise<Mock>
  readonly url: string
  readonly namespace?: string
  readonly environment: Record<string, string>
  request<T = unknown>(method: string, path: string, options?: RequestOptions): Promise<T>
  wait(search?: string | string[], expected?: Expected): Promise<MockPush[]>
  assertPushed(search?: string | string[], expected?: Omit<Expected, 'within'>): Promise<MockPush[]>
  assertNothingPushed(search?: string, expected?: { within?: number; after?: number }): Promise<MockPush[]>
  assertNoViolations(): Promise<void>
  pushes(search?: string, query?: { limit?: number; after?: number; order?: 'oldest' | 'newest' }): Promise<Page<MockPush>>
  push(number: number): Promise<MockPush>
  latest(search?: string): Promise<MockPush>
  count(search?: string): Promise<number>
  clear(): Promise<void>
  violations(query?: { id?: string; limit?: number; after?: number }): Promise<Page<Violation>>
  send(push: { token: string; payload: string; topic?: string; push_type?: string; priority?: number; expiration?: number; collapse_id?: string }): Promise<SentPush>
  inject(fault: Fault): Promise<number>
  faults(): Promise<Page<FaultCount>>
  fault(id: number): Promise<FaultCount>
  removeFault(id: number): Promise<void>
  removeFaults(): Promise<void>
  setDevice(token: string, device: Partial<Omit<Device, 'token'>>): Promise<Device>
  device(token: string): Promise<Device>
  devices(query?: { limit?: number; after?: string }): Promise<Page<Device>>
  removeDevice(token: string): Promise<void>
  removeDevices(): Promise<void>
  play(scenario: string | Record<string, unknown>): Promise<Scenario>
  endScenario(): Promise<void>
  clock(): Promise<Clock>
  setClock(now: string | number, options?: { stopped?: boolean }): Promise<Clock>
  advanceClock(by: string): Promise<Clock>
  settings(): Promise<Record<string, unknown>>
  changeSettings(settings: Record<string, unknown>): Promise<Record<string, unknown>>
  setup(): Promise<Setup>
  keyPEM(): Promise<string>
  reset(): Promise<void>
  makeNamespace(name: string, options?: Record<string, unknown>): Promise<Namespace>
  inNamespace(name: string, options?: Record<string, unknown>): Promise<Mock>
  deleteNamespace(name: string): Promise<void>
  close(): Promise<void>
}
