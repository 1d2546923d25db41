import type { Difference, VerifyReport } from 'seine'
import { isObject } from '../../../src/kernel/json.ts'
import { CommandError, WRONG_KEY, wrongUse } from '../command-error.ts'
import { readSettings } from '../settings/read-settings.ts'
import type { Environment } from '../settings/read-settings.ts'
import { TOO_LONG, linesOf } from '../lines.ts'
import { connect, serverOf } from './connection.ts'
import type { ApiConnection } from './connection.ts'

/** Maximum number of characters of a line: an account, with 100 of its differences. */
const LONGEST = 8_388_608

/** Flags of a command that reads the data here, or asks the server of the data for it. */
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
 * The server of `--url`, or of SEINE_URL unless flags or settings name data; `null`: it is the data
 * here.
 *
 * @throws {CommandError} for flags that do not go together
 */
export async function serverNamed(where: Where, env: Environment): Promise<ApiConnection | null> {
  const { url, key, data, store, blobs, config } = where
  const flags = { url, key, data, store, blobs }
  if (url === undefined) {
    const { settings } = await readSettings({ config, values: { data, store, blobs } }, env)
    if (settings.data !== undefined || settings.store !== undefined || !env['SEINE_URL']) {
      if (key !== undefined) throw wrongUse('--key is for a server: name it with --url')
      return null
    }
  }
  return serverOf(flags, env) === null ? null : connect(flags, env)
}

/** What a server says of its data, and how many differences it has not listed. */
export interface ServerReport {
  readonly report: VerifyReport
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
  const checks = new Map<string, VerifyReport['checks'][number]>()
  const differences: Difference[] = []
  let more = 0
  let end: { readonly ok: boolean; readonly accounts: number } | null = null
  for await (const line of valuesOf(response)) {
    if (isEnd(line)) end = line
    if (!isPart(line)) continue
    more += line.more
    // One after the other: an argument list has an end.
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
  const { ok, accounts } = end
  return { report: { ok, accounts, checks: [...checks.values()], differences }, more }
}

/**
 * Has a server delete all of a closed account.
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
    if (response.status !== 409) throw refusal
    throw new CommandError(
      `${refusal.message}\nseine accounts close ${account} --reason TEXT does that, and ends its runs within 10 s`,
    )
  }
  const body: unknown = await response.json()
  const data = isObject(body) ? body['data'] : null
  if (!isObject(data)) throw new CommandError('The server has not said what it erased')
  return { records: Number(data['records']), blobs: Number(data['blobs']) }
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

function isPart(line: unknown): line is VerifyReport & { readonly more: number } {
  return isObject(line) && typeof line['account'] === 'string' && Array.isArray(line['checks'])
}

function isEnd(line: unknown): line is { readonly ok: boolean; readonly accounts: number } {
  return isObject(line) && !('account' in line) && typeof line['accounts'] === 'number'
}

/** What the operator's API says, and what to do about it. */
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
        ? 'On the data of the server, seine keys create --scopes operator makes such a key'
        : status === 404
          ? 'seine accounts list has all accounts; a server with --no-operator has no such API'
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
