import type { PlatformOptions } from '../../../src/platform/options.ts'
import { PlatformError } from '../../../src/kernel/errors.ts'
import { createFakeClock } from './fake-clock.ts'
import { createFakeWeb } from './fake-web.ts'
import type { Answer } from './fake-web.ts'
import { OWNER, createWorld } from '../worlds/world.ts'

/** The result of a search, and its requests. */
export interface Searched {
  readonly answer: {
    results: readonly { id: string; title: string; url: string; text: string }[]
  } | null
  readonly failure: {
    readonly code: string
    readonly message: string
    readonly headers: Readonly<Record<string, string>>
  } | null
  readonly sent: readonly {
    readonly url: URL
    readonly headers: Readonly<Record<string, string>>
  }[]
}

/** Searches through a platform whose every request gets this answer. */
export async function searchWith(
  search: NonNullable<PlatformOptions['search']>,
  answer: Answer,
  query = 'fountain pens',
): Promise<Searched> {
  const clock = createFakeClock()
  const sent: { url: URL; headers: Readonly<Record<string, string>> }[] = []
  const web = createFakeWeb({})
  const world = createWorld(
    {},
    {
      clock,
      search,
      fetcher: {
        ...web,
        send: async (hop) => (
          sent.push({ url: hop.url, headers: hop.headers }),
          createFakeWeb({ [hop.url.href]: answer }).send(hop)
        ),
      },
    },
  )
  try {
    const { result } = await clock.runUntil(
      world.platform.api.agentic.call(OWNER, { tool: 'search', arguments: { query } }),
    )
    return { answer: result as Searched['answer'], failure: null, sent }
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    const { code, message, headers } = error
    return { answer: null, failure: { code, message, headers }, sent }
  } finally {
    await world.platform.close()
  }
}

/** An answer of JSON. */
export function jsonAnswer(value: unknown, status = 200): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}
