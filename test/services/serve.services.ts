import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../src/client/create-client.ts'
import { runCommand, startCommand, temporaryFolder } from '../support/command.ts'
import { startS3 } from '../support/fakes/s3-server.ts'
import { openPostgres } from '../support/postgres/open.ts'
import { openRedis } from '../support/redis/open.ts'
import { requireBuild } from '../support/sources/dist.ts'
import { startDocsSite } from '../support/worlds/docs-site.ts'

// Proves that the servers of the settings work together: one process serves, another one works, and
// a command makes a key and verifies the store.

const ACCESS = { bucket: 'rows', accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret/key' }
const { host, sql } = await openPostgres()
const { port } = openRedis()
const folder = temporaryFolder()
beforeAll(() => requireBuild())
afterAll(() => folder.remove())

test('an API without a worker and a separate worker run on Postgres, S3 and Redis', async () => {
  await sql`create database served`
  const [site, s3] = await Promise.all([startDocsSite(), startS3(ACCESS)])
  const redis = `redis://127.0.0.1:${port}/5`
  const env = {
    SEINE_STORE: `postgres://seine@/served?host=${encodeURIComponent(host)}`,
    SEINE_BLOBS: `s3://rows/of/seine?endpoint=${encodeURIComponent(s3.url)}`,
    SEINE_QUEUE: redis,
    SEINE_LIMITER: redis,
    AWS_ACCESS_KEY_ID: ACCESS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: ACCESS.secretAccessKey,
  }
  const key = (await runCommand(['keys', 'create'], folder.path, env)).stdout.trim()
  const serve = (...flags: string[]) =>
    startCommand(['serve', '--port', '0', '--log-format', 'json', ...flags], folder.path, env)
  const api = serve('--no-worker', '--allow-private-network', '--log-requests', 'all')
  const worker = serve('--allow-private-network')
  try {
    const [, baseUrl = ''] = await api.until('stdout', /^listening (\S+)\n/)
    await worker.until('stdout', /^listening/)
    const client = createClient({ baseUrl, apiKey: key })
    const { id } = await client.executions.run({
      recipe: { start: { urls: [site.url] }, extract: { fields: { title: 'title' } } },
    })
    await expect
      .poll(async () => (await client.executions.get(id)).status, { timeout: 30_000 })
      .toBe('succeeded')
    expect((await client.results.list(id)).items).toHaveLength(1)
    expect([...s3.objects.keys()].every((name) => name.startsWith('of/seine/'))).toBe(true)
    expect(s3.objects.size).toBeGreaterThan(0)

    const [, line = ''] = await api.until('stderr', /(\{.*"path":"\/api\/v1\/executions".*\})\n/)
    expect(JSON.parse(line)).toMatchObject({
      level: 'info',
      message: 'A request was answered',
      method: 'POST',
      status: 201,
      requestId: expect.any(String),
      account: 'default',
      time: expect.stringMatching(/Z$/),
    })
    const [, ending = ''] = await worker.until('stderr', /(\{.*An execution ended.*\})\n/)
    expect(JSON.parse(ending)).toMatchObject({ execution: id, status: 'succeeded', rows: 1 })

    const verified = await runCommand(['verify'], folder.path, env)
    expect(verified).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Everything agrees'),
    })
  } finally {
    api.child.kill('SIGTERM')
    worker.child.kill('SIGTERM')
    await Promise.all([api.ended, worker.ended])
    await Promise.all([site.close(), s3.close()])
  }
  expect([(await api.ended).code, (await worker.ended).code]).toEqual([0, 0])
})
