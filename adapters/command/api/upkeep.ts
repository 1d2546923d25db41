import * as v from 'valibot'
import { isObject } from '../../../src/kernel/json.ts'
import { CommandError, WRONG_KEY, wrongUse } from '../command-error.ts'
import { readSettings } from '../settings/read-settings.ts'
import type { Environment, Flags } from '../settings/read-settings.ts'
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
 * Whether a command means a server: that of `--url`, or of SEINE_URL unless flags or settings name
 * data.
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
 * The server that is meant; `null`: it is the data here.
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

const count = v.pipe(v.number(), v.integer(), v.minValue(0))

/** A line of a report: one account. Areas are names, for a server may have others. */
const partSchema = v.object({
  account: v.string(),
  ok: v.boolean(),
  checks: v.array(
    v.object({ area: v.string(), checked: count, differences: count, unsettled: count }),
  ),
  differences: v.array(
    v.object({
      area: v.string(),
      account: v.string(),
      subject: v.string(),
      message: v.string(),
      repaired: v.boolean(),
    }),
  ),
  more: count,
})
type Part = v.InferOutput<typeof partSchema>

/** The last line of a report. */
const endSchema = v.object({ ok: v.boolean(), accounts: count })

const erasedSchema = v.object({ data: v.object({ records: count, blobs: count }) })

/** What a server says of its data. */
export interface ServerReport {
  readonly ok: boolean
  readonly accounts: number
  readonly checks: readonly Part['checks'][number][]
  readonly differences: readonly Part['differences'][number][]
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
  const checks = new Map<string, Part['checks'][number]>()
  const differences: Part['differences'] = []
  let more = 0
  let end: v.InferOutput<typeof endSchema> | null = null
  for await (const line of valuesOf(response)) {
    if (!isObject(line) || !('account' in line)) {
      end = valid(endSchema, line)
      continue
    }
    const part = valid(partSchema, line)
    more += part.more
    // One after the other: an argument list has an end.
    for (const difference of part.differences) differences.push(difference)
    for (const check of part.checks) {
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
  return { ...end, checks: [...checks.values()], differences, more }
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
    const way = response.status === 409 ? wayToErase(account, refusal.message) : null
    throw way === null ? refusal : new CommandError(`${refusal.message}\n${way}`)
  }
  const answer = v.safeParse(erasedSchema, await response.json().catch(() => null))
  if (!answer.success)
    throw new CommandError(
      'The server has not said what it erased: the same again says what is left',
    )
  return answer.output.data
}

/** What to do about an account that is not erased yet; `null`: the answer says all of it. */
function wayToErase(account: string, message: string): string | null {
  if (message.startsWith('Close the account '))
    return `seine accounts close ${account} --reason TEXT does that, and ends its runs within 10 s`
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

function valid<Schema extends v.GenericSchema>(
  schema: Schema,
  line: unknown,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, line)
  if (result.success) return result.output
  const path = v.getDotPath(result.issues[0]) ?? 'a line'
  throw new CommandError(
    `The server has answered with what is no report (${path}): seine of its version may read it`,
  )
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
