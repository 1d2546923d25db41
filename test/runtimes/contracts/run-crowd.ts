import type { Store } from 'seine'
import { describeSqliteCrowd } from '../../support/stores/sqlite-crowd.ts'
import { runDescribed } from './vitest.ts'

/**
 * Tests the embedded store of a runtime with several processes on one file: this process, and
 * writers whose commands are in the environment.
 */
export async function runCrowd(
  name: string,
  open: (options: { readonly path: string }) => Store,
): Promise<void> {
  const writers: readonly (readonly string[])[] = JSON.parse(process.env['SEINE_WRITERS'] ?? '[]')
  const crowd = describeSqliteCrowd(name, { open: (path) => open({ path }), writers })
  const outcomes = await runDescribed()
  await crowd.close()
  console.log(
    `\nRESULT ${JSON.stringify({ outcomes, facts: { crowd: `${writers.length + 1} processes` } })}`,
  )
}
