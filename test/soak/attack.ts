import { createApi, itemsOf, member, textOf } from './api.ts'
import type { Answer, Api, Call } from './api.ts'
import type { Accounts } from './accounts.ts'

/** The result of one action of the attacker. */
export interface Outcome {
  readonly what: string
  /** In words, such as `201 in 12 ms` or `failed: page_too_costly`. */
  readonly became: string
  readonly isGood: boolean
  /** `false`: it may still run. */
  readonly isOver: boolean
}

interface Followed {
  readonly what: string
  readonly id: string
  readonly at: number
}

/** A recipe, or a value in place of one. */
export type AnyRecipe = Readonly<Record<string, unknown>>

/** One way to harm the other tenants. */
export interface AttackCase {
  readonly id: string
  readonly about: string
  /**
   * `host`: it needs options that the command does not have, and runs against a host file of the
   * soak.
   */
  readonly server?: 'host'
  run(attack: Attack): Promise<unknown>
}

const ENDED = new Set(['succeeded', 'failed', 'cancelled', 'timed_out'])
/**
 * A preview may take 20 s, a `fetch` of an agent 45 s, and calls that wait for them a little
 * longer.
 */
const ANSWERS_WITHIN_MS = 60_000
const POLL_MS = 500
/** An answer after this time counts as none. */
const PATIENCE_MS = 75_000
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * The calls of the attacker: each call is noted with its result, and each execution is followed to
 * its end.
 */
export class Attack {
  readonly origin: string
  /** The attacker's main key, of all scopes. */
  readonly key: string
  readonly outcomes: Outcome[] = []
  readonly #api: Api
  readonly #url: string
  readonly #previews: readonly string[]
  readonly #followed: Followed[] = []
  static #nextPreview = 0

  constructor({
    url,
    origin,
    accounts,
  }: {
    readonly url: string
    readonly origin: string
    readonly accounts: Accounts
  }) {
    this.origin = origin
    this.key = accounts.hostile
    this.#url = url
    this.#api = createApi(url, accounts.hostile)
    this.#previews = accounts.hostilePreviews
  }

  /** A page of the hostile site as a recipe, by default with nothing but its default extraction. */
  recipe(page: string, rest: AnyRecipe = {}): AnyRecipe {
    return { start: { urls: [`${this.origin}/${page}`] }, crawl: { robots: false }, ...rest }
  }

  /**
   * Creates a task, runs it and follows the execution, whose id it gives; empty where there is
   * none.
   */
  async execute(what: string, recipe: AnyRecipe): Promise<string> {
    const task = await this.#ask(`${what}: task`, '/api/v1/tasks', {
      method: 'POST',
      body: { name: what, recipe },
    })
    const id = textOf(member(task.data, 'id'))
    if (id === '') return ''
    const started = await this.#ask(`${what}: start`, `/api/v1/tasks/${id}/executions`, {
      method: 'POST',
    })
    const execution = textOf(member(started.data, 'id'))
    this.follow(what, execution)
    return execution
  }

  /** Follows an execution that was started in another way. */
  follow(what: string, execution: string): void {
    if (execution !== '') this.#followed.push({ what, id: execution, at: Date.now() })
  }

  /** Whether a call got no answer, so that further calls are useless. */
  get isStuck(): boolean {
    return this.outcomes.some(({ isOver }) => !isOver)
  }

  async preview(what: string, recipe: AnyRecipe): Promise<void> {
    // Each with an account of its own, as quotas are daily.
    const key = this.#previews[Attack.#nextPreview++ % this.#previews.length] ?? ''
    const answer = await createApi(this.#url, key)('/api/v1/tasks/preview', {
      method: 'POST',
      body: { recipe },
      timeoutMs: PATIENCE_MS,
    })
    const [page] = listOf(member(answer.data, 'pages'))
    const reason = textOf(member(member(page, 'reason'), 'code'))
    this.#note(`${what}: preview`, answer, reason)
  }

  /** An agent's `fetch`. */
  async fetch(what: string, page: string): Promise<void> {
    const body = { tool: 'fetch', arguments: { id: `${this.origin}/${page}` }, keep: false }
    this.#note(
      `${what}: fetch`,
      await this.#api('/api/v1/mcp/agentic-executions', {
        method: 'POST',
        body,
        timeoutMs: PATIENCE_MS,
      }),
    )
  }

  /** Any other call. */
  async ask(what: string, path: string, call?: Call): Promise<Answer> {
    return this.#ask(what, path, call)
  }

  /** A call with another key of the attacker's. */
  async askAs(key: string, path: string, call?: Call): Promise<Answer> {
    return createApi(this.#url, key)(path, call)
  }

  /** Notes the result of a check. */
  check(what: string, isGood: boolean, became: string, isOver = true): void {
    this.outcomes.push({ what, isGood, became, isOver })
  }

  /**
   * Waits until every execution has ended, as long as there is time, and notes how. Those that have
   * not are cancelled.
   */
  async settle(patienceMs: number): Promise<void> {
    const until = Date.now() + patienceMs
    const open = new Set(this.#followed)
    while (open.size > 0) {
      for (const one of open) if (await this.#hasEnded(one)) open.delete(one)
      if (Date.now() > until) break
      if (open.size > 0) await pause(POLL_MS)
    }
    for (const one of open) {
      this.check(
        `${one.what}: execution`,
        false,
        `has not ended after ${Math.round((Date.now() - one.at) / 1_000)} s`,
        false,
      )
      await this.#api(`/api/v1/executions/${one.id}/cancel`, { method: 'POST', timeoutMs: 10_000 })
    }
    this.#followed.length = 0
  }

  async #hasEnded(one: Followed): Promise<boolean> {
    const { data } = await this.#api(`/api/v1/executions/${one.id}`, { timeoutMs: 10_000 })
    const status = textOf(member(data, 'status'))
    if (!ENDED.has(status)) return false
    const reason = textOf(member(member(data, 'reason'), 'code'))
    const receipt = await this.#api(`/api/v1/executions/${one.id}/pages?limit=100`, {
      timeoutMs: 30_000,
    })
    const pages = itemsOf(receipt.data)
    const mute = pages.filter(
      (page) =>
        !PLAIN.has(textOf(member(page, 'outcome'))) &&
        textOf(member(member(page, 'reason'), 'code')) === '',
    )
    const reasons = new Set(
      pages
        .map((page) => textOf(member(member(page, 'reason'), 'code')))
        .filter((code) => code !== ''),
    )
    const causes = [reason, ...reasons].filter((code) => code !== '').join(', ')
    const isGood = mute.length === 0 && (status === 'succeeded' || reason !== '')
    const silence = isGood
      ? ''
      : mute.length > 0
        ? ` with ${mute.length} pages without a reason`
        : ' without a reason'
    this.check(
      `${one.what}: execution`,
      isGood,
      `${status}${causes === '' ? '' : ` (${causes})`}${silence}`,
    )
    return true
  }

  async #ask(what: string, path: string, call?: Call): Promise<Answer> {
    const answer = await this.#api(path, { timeoutMs: PATIENCE_MS, ...call })
    this.#note(what, answer)
    return answer
  }

  #note(what: string, answer: Answer, reason = ''): void {
    const { status, ms, error, bytes } = answer
    const isLate = ms > ANSWERS_WITHIN_MS
    const isGood = status > 0 && (status < 500 || status === 503 || status === 504) && !isLate
    const size = bytes > 1_048_576 ? `, ${Math.round(bytes / 1_048_576)} MB` : ''
    const why = [error?.slice(0, 100) ?? '', reason].filter((text) => text !== '').join(', ')
    this.check(
      what,
      isGood,
      `${status === 0 ? 'no answer' : status} in ${(ms / 1_000).toFixed(1)} s${size}${why === '' ? '' : ` (${why})`}`,
      status !== 0,
    )
  }
}

/** Outcomes of pages that say all by themselves. */
const PLAIN = new Set(['fetched', 'unchanged', 'duplicate', 'skipped_depth', 'skipped_scope'])

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
