import { join } from 'node:path'
import { Miniflare } from 'miniflare'
import { createPlatform } from 'seine'
import { createD1Store, createR2Blobs, type R2Bucket } from 'seine/cloudflare'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleWorker } from '../runtimes/bundle-worker.ts'
import { COMPATIBILITY_DATE } from '../runtimes/run-worker.ts'
import { testHost } from './host-cases.ts'
import { HostProject } from './project.ts'
import { plantSeed } from './seed.ts'
import type { Seed } from './seed.ts'

describe('cloudflare.ts', () => {
  let project: HostProject
  let miniflare: Miniflare
  let seed: Seed
  let url: string
  const open = async () => {
    const bucket: unknown = await miniflare.getR2Bucket('BLOBS')
    if (!isBucket(bucket)) throw new Error('That is no bucket')
    return { store: createD1Store({ database: await miniflare.getD1Database('DB') }), blobs: createR2Blobs({ bucket }), limiter: 'store' } as const
  }

  beforeAll(async () => {
    project = await HostProject.create()
    const folder = await project.add('worker', null)
    const { code } = await bundleWorker(join(folder, 'cloudflare.ts'), project.folder)
    miniflare = new Miniflare({ modules: true, script: code, compatibilityDate: COMPATIBILITY_DATE, unsafeTriggerHandlers: true, d1Databases: ['DB'], r2Buckets: ['BLOBS'] })
    url = (await miniflare.ready).origin
    seed = await plantSeed(await open(), 4)
    // What Cloudflare does every minute.
    const triggered = await miniflare.dispatchFetch(`${url}/cdn-cgi/handler/scheduled`)
    if (!triggered.ok) throw new Error(`The trigger answered with ${triggered.status}`)
  })
  afterAll(async () => {
    await miniflare?.dispose()
    await project.remove()
  })

  testHost(() => ({ url, seed, fetch: (address, init) => fetch(address, init) }))

  test('what was done there agrees with itself', async () => {
    const { ok, differences } = await createPlatform(await open()).verify()
    expect([ok, differences]).toEqual([true, []])
  })
})

/** Miniflare's own types of buckets need those of Cloudflare. */
function isBucket(value: unknown): value is R2Bucket {
  return typeof value === 'object' && value !== null && ['get', 'put', 'delete', 'list'].every((name) => name in value)
}
