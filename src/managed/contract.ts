/**
 * The words that hooks, sandbox, egress, interactions and agent share. Types only: each folder implements its own part
 * and knows the others by these alone. Contract: the published managed-agent hooks and the Interactions API.
 */

/** Time, so that deadlines of seconds and lives of days can be tested. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Runs `then` once after `ms`; the answer cancels it. */
  after(ms: number, then: () => void): () => void
}

/** One line about something that a person may want to know: a hook that failed, a host that was refused, a start. */
export interface RuntimeEvent {
  readonly at: number
  readonly kind: string
  readonly environment?: string
  readonly interaction?: string
  readonly text: string
  readonly detail?: Readonly<Record<string, unknown>>
}

export type Report = (event: Omit<RuntimeEvent, 'at'>) => void

// ── Environments ────────────────────────────────────────────────────────────────────────────────────────────────────

export type Source =
  | { readonly type: 'inline'; readonly target: string; readonly content: string; readonly encoding?: 'base64' }
  | { readonly type: 'repository'; readonly source: string; readonly target: string }
  | { readonly type: 'gcs'; readonly source: string; readonly target: string }

export interface AllowEntry {
  readonly domain: string
  /** Id of a stored credential. */
  readonly credential?: string
  /** Headers to set; a list is merged in order. */
  readonly transform?: Readonly<Record<string, string>> | readonly Readonly<Record<string, string>>[]
}

/** Absent: open. `disabled`: nothing leaves. A list: only what it names; an empty list: nothing. */
export type Network = undefined | 'disabled' | { readonly allowlist: readonly AllowEntry[] | 'disabled' }

export type EnvValue = string | { readonly credential: string }

export interface EnvironmentSpec {
  readonly sources?: readonly Source[]
  readonly network?: Network
  readonly env?: Readonly<Record<string, EnvValue>>
  /** Fork this one; `sources` and `env` are then empty. Its network rules hold unless `network` is given. */
  readonly from?: string
  /** The template of a saved agent: it does not expire by age. */
  readonly keep?: boolean
}

export interface EnvironmentRecord {
  readonly id: string
  readonly status: 'active' | 'expired'
  readonly created: number
  readonly updated: number
  readonly lastAccessed: number
  readonly fileCount: number
  readonly sizeBytes: number
  readonly network: Network
  readonly sources: readonly Source[]
  readonly env: Readonly<Record<string, EnvValue>>
  /** Warnings that a user of the environment should see (a broken hooks.json …). */
  readonly warnings: readonly string[]
}

/** A request that cannot be met: `status` and `code` are what the API answers (400 invalid_request, 404 not_found, 409 aborted …). */
export class ManagedError extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

// ── Running programs in a sandbox ───────────────────────────────────────────────────────────────────────────────────

export interface ProgramRun {
  readonly argv: readonly string[]
  /** A path inside the sandbox. */
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string | Uint8Array
  /** Milliseconds from start to exit; then the whole process group is killed. */
  readonly timeout: number
  /** Bytes kept of stdout and of stderr each; what exceeds it ends the program where `killAtLimit`, else is dropped. */
  readonly outputLimit: number
  readonly killAtLimit?: boolean
  /** Cancels: everything the run started is killed. */
  readonly signal?: AbortSignal
}

export interface ProgramEnd {
  /** False where the program could not be started; `why` says it. */
  readonly started: boolean
  readonly why?: string
  readonly exit: number | null
  readonly killedBy: string | null
  readonly timedOut: boolean
  readonly cancelled: boolean
  /** More output came than the limit. */
  readonly cut: boolean
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  readonly ms: number
}

export interface FileEntry {
  readonly name: string
  /** Relative to the environment's root, without a leading slash. */
  readonly path: string
  readonly type: 'FILE' | 'DIRECTORY'
  readonly size: number
  readonly created: number
  readonly modified: number
}

/** Files of one environment, by path inside it. No link leads outside: paths are resolved beneath the root. */
export interface EnvironmentFiles {
  stat(path: string): Promise<FileEntry | undefined>
  /** Real path inside the sandbox, or undefined where absent. */
  real(path: string): Promise<string | undefined>
  /** Identity of the content for caches: inode, mtime, size. */
  stamp(path: string): Promise<string | undefined>
  list(path: string, recursive: boolean): AsyncIterable<FileEntry>
  read(path: string, limit: number): Promise<Uint8Array | undefined>
  stream(path: string): Promise<{ readonly size: number; readonly body: AsyncIterable<Uint8Array> } | undefined>
  write(path: string, body: Uint8Array | AsyncIterable<Uint8Array>, overwrite: boolean): Promise<void>
  remove(path: string): Promise<void>
}

/** The six tools that run inside an environment. */
export const SANDBOX_TOOLS = [
  'code_execution',
  'view_file',
  'write_to_file',
  'replace_file_content',
  'list_dir',
  'delete_file',
] as const
export type SandboxTool = (typeof SANDBOX_TOOLS)[number]

export interface ToolOutcome {
  /** What the model is shown. */
  readonly output: string
  readonly isError: boolean
  /** Text of the post event's `error`: stderr of a command, or "exit status N", or the failed file operation. Absent: none. */
  readonly error?: string
}

export interface Environments {
  create(spec: EnvironmentSpec): Promise<EnvironmentRecord>
  /** Undefined where unknown; expired ones are unknown to every other verb (404). */
  get(id: string): Promise<EnvironmentRecord | undefined>
  list(): Promise<readonly EnvironmentRecord[]>
  /** Replaces the network rules at once; files stay. */
  setNetwork(id: string, network: Network): Promise<EnvironmentRecord>
  /** Kills what runs, then removes the files. */
  remove(id: string): Promise<void>
  /** Kills what runs, keeps the files (idle stop, cancel). */
  stop(id: string): Promise<void>
  files(id: string): Promise<EnvironmentFiles>
  run(id: string, run: ProgramRun): Promise<ProgramEnd>
  /** Runs one of the six tools; the arguments are validated here, after the hooks saw them raw. */
  tool(
    id: string,
    name: SandboxTool,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ToolOutcome>
  /** Roots where hooks may lie, in order: `/`, the working directory, each repository's target. */
  hookRoots(id: string): Promise<readonly string[]>
  /**
   * Freezes what these paths hold now (`HookPin.freeze`): a copy outside the tree is laid read-only over them in every
   * later run and tool, and forks take it along.
   */
  freeze(id: string, paths: readonly string[]): Promise<void>
  close(): Promise<void>
}

// ── Egress ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * What an environment's sandbox binds to reach the outside. Every connection from the sandbox is one connection to
 * `socket`, opened with one line of JSON and then the bytes:
 * `{"to":"proxy"}` for a client that speaks to an HTTP proxy (absolute form, CONNECT), or
 * `{"to":"address","address":"198.18.0.7","name":"example.com","port":443}` for a captured connection (`name` where the
 * sandbox's own DNS stub gave the address out).
 */
export interface EgressDoor {
  /** Host path of the UNIX socket, 0600. */
  readonly socket: string
  /** Host path of the CA certificate (PEM), and of the system's roots with it. Keys stay outside. */
  readonly caFile: string
  readonly bundleFile: string
  /** Environment variables of clients that want to be told of the CA, given where the bundle lies inside the sandbox. */
  variables(bundleInside: string, caInside: string): Readonly<Record<string, string>>
  setNetwork(network: Network): void
  close(): Promise<void>
}

export interface OutRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Milliseconds for the whole: name, connection, TLS, body. */
  readonly timeout: number
  /** Bytes of the answer that are kept. */
  readonly limit: number
  readonly signal?: AbortSignal
}

export type OutAnswer =
  | {
      readonly ok: true
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: Uint8Array
      readonly cut: boolean
    }
  | { readonly ok: false; readonly why: string; readonly refused: boolean; readonly timedOut: boolean }

export interface Egress {
  /**
   * Opens the door of an environment; `id` names it in events. `credentials`: the ids that its `env` names; the
   * placeholders of no others ever get a value. Throws ManagedError 400 for rules that make no sense.
   */
  open(id: string, network: Network, credentials: readonly string[]): Promise<EgressDoor>
  /** Checks rules without opening anything; throws ManagedError 400. */
  check(network: Network): void
  /** One request of the runtime itself in the name of an environment (http hooks, sources): same policy, same injection, no redirects. */
  request(network: Network, id: string, request: OutRequest): Promise<OutAnswer>
  /** The start-up self-test of an environment's door; throws with the reason where a forbidden way is open. */
  selfTest(door: EgressDoor, network: Network): Promise<void>
  close(): Promise<void>
}

// ── Hooks ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface HookCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

export interface HookWarning {
  /** Stable id of the habit, e.g. `matcher.invalid`. */
  readonly id: string
  readonly file?: string
  readonly group?: string
  readonly text: string
  /** An earlier verdict on the same configuration said it already: a log needs it once only. */
  readonly known?: boolean
}

export interface HandlerTrace {
  readonly group: string
  readonly event: 'pre_tool_execution' | 'post_tool_execution'
  readonly matcher: string
  readonly handler: string
  readonly outcome: 'allow' | 'deny' | 'failed' | 'ignored' | 'not-run'
  readonly ms: number
  readonly warning?: string
}

export interface HookVerdict {
  readonly decision: 'allow' | 'deny'
  readonly reason?: string
  readonly trace: readonly HandlerTrace[]
  /** Of the configuration that held for this call, then of its handlers. */
  readonly warnings: readonly HookWarning[]
}

/** A configuration frozen at provisioning. Plain JSON: whoever keeps the environment keeps it, and hands it back. */
export interface HookPin {
  readonly files: readonly { readonly path: string; readonly cwd: string; readonly text: string }[]
  /** What the handlers run, inside the environment: for `Environments.freeze`. */
  readonly freeze: readonly string[]
}

/** What the hooks need of the world, so that they can be tested without a sandbox. */
export interface HookWorld {
  readonly environment: string
  readonly files: Pick<EnvironmentFiles, 'real' | 'stamp' | 'read'>
  readonly roots: readonly string[]
  run(run: ProgramRun): Promise<ProgramEnd>
  request(request: OutRequest): Promise<OutAnswer>
  /** No egress at all: http hooks cannot work. */
  readonly networkDisabled: boolean
  /** What `provision` gave for this environment (and for the one that it was forked from). */
  readonly pin?: HookPin
}

export interface HookOptions {
  readonly stopOnDeny?: boolean
  /** Names of groups whose failures deny. */
  readonly failClosed?: readonly string[]
  /** Freeze the configuration and its scripts at provisioning. */
  readonly pinned?: boolean
  readonly argsStyle?: 'seed' | 'pascal' | 'both'
}

export interface Hooks {
  /**
   * Reads the configuration of an environment that has just been made: what a user of it should see (its metadata
   * takes the texts), and with the option `pinned` what holds from then on.
   */
  provision(world: HookWorld): Promise<{ readonly warnings: readonly HookWarning[]; readonly pin?: HookPin }>
  /** `before` and `after` reject with the signal's reason where it aborts: the handler is killed, the tool must not run. */
  before(world: HookWorld, call: HookCall, signal: AbortSignal): Promise<HookVerdict>
  after(world: HookWorld, call: HookCall, error: string | undefined, signal: AbortSignal): Promise<HookVerdict>
  /** The environment is gone. */
  forget(environment: string): void
}

// ── Credentials ─────────────────────────────────────────────────────────────────────────────────────────────────────

export interface CredentialView {
  readonly id: string
  readonly type: 'bearer_token' | 'oauth2' | 'environment_variable'
  readonly status: 'active' | 'revoked'
  readonly createTime: number
  readonly updateTime: number
}

/** Stored credentials; secrets go in and never come out of this interface but to the proxy. */
export interface Credentials {
  /** `body` as the API takes it; throws ManagedError with the documented code and sentence. */
  create(body: unknown): Promise<CredentialView>
  update(id: string, body: unknown): Promise<CredentialView>
  get(id: string): CredentialView | undefined
  list(): readonly CredentialView[]
  remove(id: string): Promise<void>
  /** What the sandbox's variable holds in place of the value: `__GEMINI_CRED_<id>__`; undefined for other types. */
  placeholder(id: string): string | undefined
}
