import { isObject } from '../../../src/kernel/json.ts'
import { WRONG_KEY } from '../command-error.ts'
import { connect, serverOf } from '../api/connection.ts'
import type { ConnectionFlags } from '../api/connection.ts'
import type { Environment } from '../settings/read-settings.ts'

/** Time, in ms, after which a server that has not answered counts as unreachable. */
const PATIENCE_MS = 5_000

/** The result of one check. `note`: it works, but the reader should know something. */
export interface Finding {
  readonly check: string
  readonly state: 'ok' | 'note' | 'wrong'
  /** The finding, or the remedy. */
  readonly says: string
}

/**
 * Checks a server elsewhere: whether it answers, is ready to work, and accepts the key.
 *
 * @throws {CommandError} for flags that do not go together
 */
export async function findingsOfServer(
  flags: ConnectionFlags,
  env: Environment,
): Promise<Finding[]> {
  const server = serverOf(flags, env)
  if (server === null) return []
  const { base } = server
  const began = performance.now()
  let response: Response
  try {
    const connection = await connect(flags, env)
    const signal = AbortSignal.timeout(PATIENCE_MS)
    response = await connection.send('/me', { method: 'GET', signal })
  } catch (error) {
    return [{ check: 'server', state: 'wrong', says: textOf(error) }]
  }
  const ms = Math.round(performance.now() - began)
  const answers: Finding = { check: 'server', state: 'ok', says: `${base} answers in ${ms} ms` }
  return [answers, await keyOf(response), await readinessOf(base)]
}

async function keyOf(response: Response): Promise<Finding> {
  const { status } = response
  const body: unknown = await response.json().catch(() => null)
  const data = isObject(body) ? body['data'] : null
  const check = 'key'
  if (status === 401) return { check, state: 'wrong', says: WRONG_KEY }
  const { account, scopes } = isObject(data) ? data : {}
  if (typeof account !== 'string' || !Array.isArray(scopes))
    return { check, state: 'wrong', says: `The server answered ${status}; is it Seine's address?` }
  return { check, state: 'ok', says: `of account ${account}, with ${scopes.join(', ')}` }
}

/** `/readyz` exists on `seine serve`, below the path of `--url`. Other servers may not have it. */
async function readinessOf(base: string): Promise<Finding> {
  const check = 'ready'
  const signal = AbortSignal.timeout(PATIENCE_MS)
  let body: unknown
  try {
    const text = await (await fetch(`${base}/readyz`, { signal })).text()
    body = jsonOf(text)
  } catch (error) {
    return { check, state: 'wrong', says: `/readyz does not answer: ${textOf(error)}` }
  }
  if (!isObject(body) || typeof body['ok'] !== 'boolean')
    return { check, state: 'note', says: 'not known: it has no /readyz' }
  const away = ['store', 'blobs'].filter((name) => {
    const part = body[name]
    return !isObject(part) || part['ok'] !== true
  })
  const says =
    away.length === 0
      ? 'store and blobs answer'
      : `no answer from ${away.join(' and ')}: see its log`
  return { check, state: body['ok'] ? 'ok' : 'wrong', says }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** `fetch` says only that it has failed. The reason is in its cause. */
function textOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}
