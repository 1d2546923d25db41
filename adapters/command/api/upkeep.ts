import { isObject } from '../../../src/kernel/json.ts'
import { commandName } from '../command-name.ts'
import { CommandError, noOperator, WRONG_KEY, wrongUse } from '../command-error.ts'
import { readSettings } from '../settings/read-settings.ts'
import type { Environment, Flags } from '../settings/read-settings.ts'
import { TOO_LONG, linesOf } from '../mcp/lines.ts'
import { connect, serverOf } from './connection.ts'
import type { ApiConnection } from './connection.ts'

/** Maximum number of characters of a line: one account, with 100 of its differences. */
const LONGEST = 8_388_608

/** Flags of a command that reads the data on this machine, or asks a server to do so. */
export const SERVER_FLAGS = { url: { type: 'string' }, key: { type: 'string' } } as const

interface Where {
  readonly url?: string | undefined
  readonly key?: string | undefined
  readonly data?: string | undefined
  readonly store?: string | undefined
  readonly blobs?: string | undefined
  readonly config?: string | undefined
}

/**
 * Whether a command is for a server: the one of `--url`, or that of SEINE_URL unless flags or
 * settings name data.
 *
 * @throws {CommandError} for wrong settings
 */
export async function isServerMeant(
  url: string | undefined,
  flags: Flags,
  env: Environment,
): Promise<boolean> {
  if (url !== undefined) return true
  if (!env['SEINE_URL']) return false
  const { settings } = await readSettings(flags, env)
  return settings.data === undefined && settings.store === undefined
}

/**
 * The server of the command. `null`: the command is for the data on this machine.
 *
 * @throws {CommandError} for flags that do not go together
 */
export async function serverNamed(where: Where, env: Environment): Promise<ApiConnection | null> {
  const { url, key, data, store, blobs, config } = where
  const flags = { url, key, data, store, blobs }
  if (!(await isServerMeant(url, { config, values: { data, store, blobs } }, env))) {
    if (key !== undefined) throw wrongUse('--key is for a server: name it with --url')
    return null
  }
  return serverOf(flags, env) === null ? null : connect(flags, env)
}

/** Sums of one area. Areas are plain names, because a server may have other areas. */
interface Check {
  readonly area: string
  readonly checked: number
  readonly differences: number
  readonly unsettled: number
}

interface Difference {
  readonly area: string
  readonly account: string
  readonly subject: string
  readonly message: string
  readonly repaired: boolean
}

/** A server's report on its data. */
export interface ServerReport {
  readonly ok: boolean
  readonly accounts: number
  readonly checks: readonly Check[]
  readonly differences: readonly Difference[]
  /** Number of differences that are not listed. */
  readonly more: number
}

/**
 * Verifies the data of a server: it answers account by account.
 *
 * @throws {CommandError} if it refuses, or if its answer breaks off
 */
export async function verifyOnServer(
  server: ApiConnection,
  account: string | undefined,
): Promise<ServerReport> {
  const query = account === undefined ? '' : `?${new URLSearchParams({ account })}`
  const response = await server.send(`/operator/verification${query}`, { method: 'GET' })
  if (!response.ok) throw await refusalOf(response)
  const checks = new Map<string, Check>()
  const differences: Difference[] = []
  let more = 0
  let end: End | null = null
  for await (const line of valuesOf(response)) {
    if (isEnd(line)) {
      end = line
      continue
    }
    if (!isPart(line))
      throw new CommandError(
        "The server's answer is not a report of this version: use the seine of the server's version",
      )
    more += line.more
    // Each is pushed separately, because a call with very many arguments fails.
    for (const difference of line.differences) differences.push(difference)
    for (const check of line.checks) {
      const sum = checks.get(check.area)
      checks.set(check.area, {
        area: check.area,
        checked: check.checked + (sum?.checked ?? 0),
        differences: check.differences + (sum?.differences ?? 0),
        unsettled: check.unsettled + (sum?.unsettled ?? 0),
      })
    }
  }
  if (end === null)
    throw new CommandError('The server has stopped before everything was verified: try again')
  return { ok: end.ok, accounts: end.accounts, checks: [...checks.values()], differences, more }
}

/**
 * Asks a server to delete all data of a closed account.
 *
 * @throws {CommandError} if it refuses
 */
export async function eraseOnServer(
  server: ApiConnection,
  account: string,
  reason: string,
): Promise<{ readonly records: number; readonly blobs: number }> {
  const response = await server.send(`/operator/accounts/${encodeURIComponent(account)}/erase`, {
    method: 'POST',
    body: JSON.stringify({ reason }),
    headers: { 'content-type': 'application/json' },
  })
  if (!response.ok) {
    const refusal = await refusalOf(response)
    const way = response.status === 409 ? wayToErase(account, refusal.message) : null
    throw way === null ? refusal : new CommandError(`${refusal.message}\n${way}`)
  }
  const body: unknown = await response.json().catch(() => null)
  const data = isObject(body) ? body['data'] : null
  const { records, blobs } = isObject(data) ? data : {}
  if (!isCount(records) || !isCount(blobs))
    throw new CommandError('The server did not report what it erased: run the command again')
  return { records, blobs }
}

/** Advice for an account that is not erased yet. `null`: the answer already says everything. */
function wayToErase(account: string, message: string): string | null {
  if (message.startsWith('Close the account '))
    return `${commandName()} accounts close ${account} --reason TEXT does that, and ends its runs within 10 s`
  if (message.startsWith('Execution '))
    return 'The server ends the runs of a closed account within 10 s: ask again then'
  return null
}

/** The values of lines of JSON; empty lines are signs of life. */
async function* valuesOf({ body }: Response): AsyncGenerator<unknown> {
  if (body === null) return
  try {
    for await (const line of linesOf(body, LONGEST)) {
      if (line === TOO_LONG) throw new Error(`a line has over ${LONGEST} characters`)
      if (line !== '') yield JSON.parse(line)
    }
  } catch (error) {
    throw new CommandError(
      `The answer of the server breaks off: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

/** The line of one account. */
interface Part extends Pick<ServerReport, 'checks' | 'differences' | 'more'> {
  readonly account: string
}

function isPart(line: unknown): line is Part {
  if (!isObject(line) || typeof line['account'] !== 'string') return false
  const { checks, differences, more } = line
  return (
    Array.isArray(checks) &&
    checks.every(isCheck) &&
    Array.isArray(differences) &&
    differences.every(isDifference) &&
    isCount(more)
  )
}

function isCheck(value: unknown): value is Check {
  if (!isObject(value)) return false
  const { area, checked, differences, unsettled } = value
  return typeof area === 'string' && [checked, differences, unsettled].every(isCount)
}

function isDifference(value: unknown): value is Difference {
  if (!isObject(value)) return false
  const { area, account, subject, message, repaired } = value
  const areTexts = [area, account, subject, message].every((text) => typeof text === 'string')
  return areTexts && typeof repaired === 'boolean'
}

/** The last line. */
type End = Pick<ServerReport, 'ok' | 'accounts'>

function isEnd(line: unknown): line is End {
  if (!isObject(line) || 'account' in line) return false
  return typeof line['ok'] === 'boolean' && isCount(line['accounts'])
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** The message of the operator's API, with advice. */
async function refusalOf(response: Response): Promise<CommandError> {
  const { status } = response
  const text = await response.text()
  const message = messageIn(text)
  if (message === null)
    return new CommandError(`The server answered ${status}; is it Seine's address?`)
  const way =
    status === 401
      ? WRONG_KEY
      : status === 403
        ? noOperator()
        : status === 404
          ? `${commandName()} accounts list has all accounts; a server with --no-operator has no such API`
          : null
  return new CommandError(way === null ? message : `${message}\n${way}`)
}

function messageIn(text: string): string | null {
  try {
    const body: unknown = JSON.parse(text)
    const error = isObject(body) ? body['error'] : null
    return isObject(error) && typeof error['message'] === 'string' ? error['message'] : null
  } catch {
    return null
  }
}
