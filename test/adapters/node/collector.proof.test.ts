import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startScript } from '../../support/command.ts'
import { root } from '../../support/sources/sources.ts'

/**
 * Loaded into the process of the command. At its end it makes a thousand lists of a megabyte, of
 * which the last ones are in use, beside 6 MB that stay, and writes how often V8 collected all
 * garbage.
 */
const MAKES_GARBAGE = `
  import { GCProfiler } from 'node:v8'
  process.on('exit', () => {
    const stays = Array.from({ length: 60_000 }, (_, i) => [i, i, i, i])
    const profiler = new GCProfiler()
    profiler.start()
    const recent = []
    for (let i = 0; i < 1_000; i++) recent[i % 8] = Array(125_000).fill(i)
    const { statistics } = profiler.stop()
    const full = statistics.filter(({ gcType }) => gcType === 'MarkSweepCompact').length
    process.stderr.write('collected ' + full + ' times beside ' + (stays.length + recent.length) + '\\n')
  })
`

/** How often V8 collects all garbage in the process of a command with a small heap. */
async function fullCollections(command: string): Promise<number> {
  const { ended } = startScript(
    [
      '--max-old-space-size=256',
      '--import',
      `data:text/javascript,${encodeURIComponent(MAKES_GARBAGE)}`,
      join(root, 'dist/command/main.js'),
      command,
      '--help',
    ],
    root,
  )
  const { stderr } = await ended
  return Number(/collected (\d+) times/.exec(stderr)?.[1] ?? Number.NaN)
}

test('a server with a small heap seldom collects all of its garbage', async () => {
  const [serving, other] = [await fullCollections('serve'), await fullCollections('doctor')]
  expect(other).toBeGreaterThan(4)
  expect(serving).toBeLessThanOrEqual(other / 2)
})
