import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { openPlatform } from '../../../adapters/command/api/connection.ts'
import { OPERATOR } from '../../../adapters/command/data-directory.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'

// Loaded on demand: it is there at once when a test looks.
await import('../../../src/platform/idle-queue.ts')

afterEach(() => void vi.useRealTimers())

it('a command without a worker leaves it to the command to say that a run waits', async () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1), toFake: ['Date'] })
  const lines: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    lines.push(String(text))
    return true
  })
  const data = await mkdtemp(join(tmpdir(), 'seine-'))
  try {
    for (const works of [true, false]) {
      lines.length = 0
      const { platform, close } = await openPlatform({ data }, {}, { works })
      const { id } = await platform.api.executions.run(OPERATOR, {
        recipe: {
          start: { urls: ['https://shop.example.com/'] },
          extract: { fields: { title: 'h1' } },
        },
      })
      vi.setSystemTime(Date.now() + 11_000)
      await platform.api.executions.get(OPERATOR, id)
      await createFakeClock().advance(0)
      await close()
      expect(lines.filter((line) => line.includes('no worker has run'))).toHaveLength(works ? 1 : 0)
    }
  } finally {
    await rm(data, { recursive: true })
  }
})
