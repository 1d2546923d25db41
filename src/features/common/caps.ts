/** The most that an account may have; `null`: any number. */
export interface Caps {
  /** API keys that are not revoked. Default 1,000. */
  readonly keys: number | null
  /** Default 10,000. */
  readonly tasks: number | null
  /** Default 1,000. */
  readonly datasets: number | null
  /** Default 20. */
  readonly webhooks: number | null
  /** Streams of events, and waits for a run, that are open at the same time in one process. Default 100. */
  readonly streams: number | null
  /** Bytes of rows, kept pages and media of executions. Over it no execution starts. Default 1 TiB. */
  readonly bytes: number | null
}

/** The caps of accounts whose plan names none. */
export const DEFAULT_CAPS: Caps = {
  keys: 1_000,
  tasks: 10_000,
  datasets: 1_000,
  webhooks: 20,
  streams: 100,
  bytes: 1_024 ** 4,
}

/** The caps of a plan: those that it names, else the defaults. */
export function capsOf({ caps = {} }: { readonly caps?: Partial<Caps> }): Caps {
  return { ...DEFAULT_CAPS, ...caps }
}
