import { createPlatform } from 'seine'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testHost } from './host-cases.ts'
import { HostProject } from './project.ts'
import { plantSeed } from './seed.ts'
import type { Seed } from './seed.ts'
import { startWorker } from './start-worker.ts'
import type { RunningWorker } from './start-worker.ts'

describe('cloudflare.ts', () => {
  let project: HostProject
  let worker: RunningWorker
  let seed: Seed

  beforeAll(async () => {
    project = await HostProject.create()
    worker = await startWorker(await project.add('worker', null), project.folder)
    seed = await plantSeed(await worker.open(), 4)
    await worker.trigger()
  })
  afterAll(async () => {
    await worker?.close()
    await project.remove()
  })

  testHost(() => ({ url: worker.url, seed, fetch: (address, init) => fetch(address, init) }))

  test('leaves records in which verify finds no difference', async () => {
    const { ok, differences } = await createPlatform(await worker.open()).verify()
    expect([ok, differences]).toEqual([true, []])
  })
})
