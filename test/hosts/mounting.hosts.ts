import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPlatform } from 'seine'
import { createSqliteStore } from 'seine/sqlite'
import { createFileBlobs } from 'seine/unstorage'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linesOf, testHost } from './host-cases.ts'
import { HOSTS } from './hosts.ts'
import { HostProject } from './project.ts'
import { plantSeed } from './seed.ts'
import type { Seed } from './seed.ts'
import { startHost } from './start-host.ts'
import type { RunningHost } from './start-host.ts'

const open = (folder: string) => ({
  store: createSqliteStore({ path: join(folder, 'seine.db') }),
  blobs: createFileBlobs({ dir: join(folder, 'seine-blobs') }),
})

/**
 * Lines of Deno on stderr: where it listens, a note about folders above the project, and one about
 * the signal of a request, which is also aborted when the answer is complete.
 */
const DENO_NOTES = /^(Listening on|Workspace member|Deno\.serve: request\.signal) .*\n/gm

let project: HostProject
let data: string
let seed: Seed
beforeAll(async () => {
  project = await HostProject.create()
  data = await mkdtemp(join(tmpdir(), 'seine-host-data-'))
  seed = await plantSeed(open(data))
})
afterAll(async () => {
  await project.remove()
  await rm(data, { recursive: true })
})

describe.each(HOSTS)('$file', (host) => {
  let folder: string
  let running: RunningHost
  beforeAll(async () => {
    folder = await project.add(host.file.replace(/\.\w+$/, ''), data)
    running = await startHost(host, folder)
  })
  afterAll(async () => {
    running?.terminate()
    await running?.ended
  })

  testHost(() => ({ url: running.url, seed, fetch: (url, init) => fetch(url, init) }))

  test('after SIGTERM a running download is completed, event streams end, and no new request begins', async () => {
    const events = await fetch(`${running.url}/data/api/v1/executions/${seed.paused}/events`, {
      headers: { authorization: `Bearer ${seed.key}` },
    })
    const download = await fetch(
      `${running.url}/data/api/v1/executions/${seed.big}/results/export?format=csv`,
      { headers: { authorization: `Bearer ${seed.key}` } },
    )
    running.terminate()
    await expect
      .poll(
        () =>
          fetch(running.url).then(
            (response) => response.status,
            () => 'refused',
          ),
        { interval: 50 },
      )
      .toBe('refused')
    expect(linesOf(await download.text())).toBe(seed.rows + 1)
    expect(await events.text()).toContain('event: state')
    const { code, stderr } = await running.ended
    expect({ code, stderr: stderr.replaceAll(DENO_NOTES, '') }).toEqual({ code: 0, stderr: '' })

    const platform = createPlatform(open(folder))
    const { ok, differences } = await platform.verify()
    expect([ok, differences]).toEqual([true, []])
    await platform.close()
  })
})
