import { expect, test } from 'vitest'
import { createRobots } from '../../../src/engine/site/robots.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { normalUrl } from '../../support/normal-url.ts'

test('large files do not fill the memory', async () => {
  const { signal } = new AbortController()
  const body = new TextEncoder().encode('#'.repeat(500_000))
  const requests: string[] = []
  const robots = createRobots({
    clock: createFakeClock(),
    userAgentToken: 'seine',
    maxOrigins: 1_000,
    egress: async ({ url }) => {
      requests.push(url)
      return {
        url,
        status: 200,
        headers: {},
        body: body.slice(),
        truncated: false,
        redirects: [],
        durationMs: 0,
      }
    },
  })
  for (let index = 0; index < 100; index++)
    await robots.check(normalUrl(`https://a${index}.com/`), signal)
  await robots.check(normalUrl('https://a99.com/'), signal)
  await robots.check(normalUrl('https://a0.com/'), signal)
  expect(requests).toHaveLength(101)
})
