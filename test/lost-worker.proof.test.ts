import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startChild } from './support/stores/child.ts'
import { temporaryFolder } from './support/command.ts'
import { requireBuild } from './support/sources/dist.ts'

const SCRIPT = fileURLToPath(new URL('./support/stores/dying-worker.ts', import.meta.url))

test(
  'a page that kills its process at each start ends its execution after three deaths, and no other execution',
  { timeout: 120_000 },
  async () => {
    requireBuild()
    const folder = temporaryFolder()
    try {
      let deaths = 0
      let answer = ''
      for (let life = 0; life < 8; life++) {
        const child = startChild(SCRIPT, folder.path, life === 0 ? 'start' : 'go-on')
        let output = ''
        child.output.on('data', (chunk: Buffer) => {
          output += chunk.toString()
        })
        const code = await child.ended
        answer = output.split('\n').at(-2) ?? ''
        if (code === 0) break
        expect(answer, child.errors()).toBe('begun')
        deaths++
      }
      const {
        executions,
        ok,
      }: {
        executions: readonly { status: string; reason: string | null; rows: number }[]
        ok: boolean
      } = JSON.parse(answer)
      const ends = executions.map(({ status, reason }) => `${status} ${reason}`).toSorted()
      expect(ends).toEqual(['failed worker_lost', 'succeeded null', 'succeeded null'])
      expect(
        executions.filter(({ status }) => status === 'succeeded').map(({ rows }) => rows),
      ).toEqual([31, 31])
      expect(ok).toBe(true)
      // Three deaths without progress, after one or two on the way to the page.
      expect(deaths).toBeGreaterThanOrEqual(3)
      expect(deaths).toBeLessThanOrEqual(5)
    } finally {
      folder.remove()
    }
  },
)
