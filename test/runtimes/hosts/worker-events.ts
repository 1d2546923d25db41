import { describe, expect, it } from 'vitest'
import { Pace } from '../../../src/kernel/pace.ts'
import { runDescribed } from '../contracts/vitest.ts'

// Long work of many events at the same time in one isolate of workerd: each event has timers and
// promises of its own, and what it waits for must not be those of another.

interface Env {
  readonly SELF: { fetch(request: Request): Promise<Response> }
}

/** Steps of a slice, as the clock of workerd stands still. */
const STEPS = 4
/** Slices, after which the event waits for a timer, as for a site. */
const SLICES = 100
const WAIT_MS = 2

/** Works in slices for so many ms, and returns the number of its slices. */
async function work(ms: number): Promise<number> {
  const end = Date.now() + ms
  const pace = new Pace({ mostStill: STEPS })
  let slices = 0
  while (Date.now() < end) {
    for (let step = 0; step < SLICES * STEPS; step++) {
      const rest = pace.step()
      if (rest === null) continue
      await rest
      slices++
    }
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
  }
  return slices
}

const describeEvents = ({ SELF }: Env): void => {
  describe('Pace in workerd', () => {
    it('gives slices to events that outlast those that came before them', async () => {
      const times = Array.from({ length: 20 }, (_, event) =>
        event < 12 ? 100 + 40 * event : 1_500,
      )
      const slices = await Promise.all(
        times.map(async (ms) =>
          Number(
            await (await SELF.fetch(new Request(`https://suite.example.com/work?ms=${ms}`))).text(),
          ),
        ),
      )
      expect(slices.filter((count) => !(count > SLICES / 2))).toEqual([])
    })
  })
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/work')
      return new Response(String(await work(Number(searchParams.get('ms')))))
    describeEvents(env)
    return Response.json({ outcomes: await runDescribed() })
  },
}
