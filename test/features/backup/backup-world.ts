import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import type { Blobs } from '../../../src/ports/blobs.ts'
import type { Store } from '../../../src/ports/store.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import type { FakeClock } from '../../support/fakes/fake-clock.ts'

/** A store in a file of its own, which is removed after the test. */
export function sqliteFile(clock: FakeClock = createFakeClock()): { path: string; store: Store } {
  const folder = mkdtempSync(join(tmpdir(), 'seine-backup-'))
  const path = join(folder, 'seine.db')
  const store = createSqliteStore({ path, clock })
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  return { path, store }
}

/** Blobs in memory whose names and bytes a test can read. */
export async function contentOf(blobs: Blobs): Promise<Map<string, Uint8Array>> {
  const content = new Map<string, Uint8Array>()
  for (const name of await blobs.list('')) {
    const bytes = await blobs.get(name)
    if (bytes) content.set(name, bytes)
  }
  return content
}

/** A copy of blobs. */
export async function copyOf(blobs: Blobs): Promise<Blobs> {
  const copy = createMemoryBlobs()
  for (const [name, bytes] of await contentOf(blobs)) await copy.put(name, bytes)
  return copy
}

/** Sixty pages, each with a title, that a recipe lists. */
export const SITE = 'https://shop.example.com'
export const PAGES: Record<string, string> = Object.fromEntries(
  Array.from({ length: 60 }, (_, i) => [
    `${SITE}/p${i + 1}`,
    `<h1>Page ${i + 1}</h1><img src="/i${i % 3}.png">`,
  ]),
)
export const RECIPE = {
  start: { urls: Object.keys(PAGES) },
  extract: { fields: { title: 'h1' } },
}
