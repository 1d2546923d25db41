import { deepStrictEqual } from 'node:assert'
import type { Fixture } from './fixture.ts'

/** Headers of a connection, not of an answer. */
const CONNECTION: readonly string[] = [
  'connection',
  'keep-alive',
  'date',
  'transfer-encoding',
  'content-length',
]
/** Values that may differ, and how they must look. */
const MASKS: Readonly<Record<string, RegExp>> = {
  'x-ratelimit-remaining': /^\d+$/,
  etag: /^"[\w-]+"$/,
}
const REQUEST_ID = 'bench-request-1'

/** The parts of a server's answer that must be the same from all. */
interface Seen {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Asks every server the same: a task, one that is not there, and with an unknown key, a key without
 * the scope and none. The bodies must be the same byte for byte, and so must the headers of the
 * task, but for the calls that remain and the entity tag.
 *
 * @throws {AssertionError} that names the server and shows the difference.
 */
export async function checkAnswers(
  origins: ReadonlyMap<string, string>,
  { secret, narrow, task }: Fixture,
): Promise<void> {
  const cases: readonly (readonly [id: string, key: string | null, status: number])[] = [
    [task, secret, 200],
    ['task_none', secret, 404],
    [task, `${secret}x`, 401],
    [task, null, 401],
    [task, narrow, 403],
  ]
  for (const [id, key, status] of cases) {
    let first: Seen | undefined
    for (const [name, origin] of origins) {
      const seen = await ask(`${origin}/api/v1/tasks/${id}`, key)
      if (seen.status !== status)
        throw new Error(`${name} answered ${seen.status} instead of ${status}: ${seen.body}`)
      if (status === 200) {
        const own = await fetch(`${origin}/api/v1/tasks/${id}`, {
          headers: { 'x-api-key': String(key) },
        })
        if (!/^[\w-]{20,64}$/.test(own.headers.get('x-request-id') ?? ''))
          throw new Error(`${name} makes no request ids`)
        await own.text()
      }
      first ??= seen
      deepStrictEqual(
        status === 200 ? seen : seen.body,
        status === 200 ? first : first.body,
        `${name} answers otherwise than ${origins.keys().next().value}`,
      )
    }
  }
}

async function ask(url: string, key: string | null): Promise<Seen> {
  const response = await fetch(url, {
    headers: { 'x-request-id': REQUEST_ID, ...(key !== null && { 'x-api-key': key }) },
  })
  const headers: Record<string, string> = {}
  for (const [name, value] of response.headers)
    if (!CONNECTION.includes(name)) headers[name] = MASKS[name]?.test(value) ? '' : value
  return { status: response.status, body: await response.text(), headers }
}
