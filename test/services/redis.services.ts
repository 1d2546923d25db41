import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { openRedis } from '../support/redis/open.ts'
import { startRedis } from '../support/redis/start.ts'

const { client, port } = openRedis()

test('the Redis of this run listens on this machine only, and has scripts and ordered ranges', async () => {
  const version = /^redis_version:(\d+)\.(\d+)/m.exec(await client.info('server')) ?? expect.fail()
  expect(Number(version[1]) * 100 + Number(version[2])).toBeGreaterThanOrEqual(602)
  expect(await client.config('GET', 'bind')).toEqual(['bind', '127.0.0.1'])
  expect(port).not.toBe(6_379)
})

test('a server ends with the process that started it, also if that was killed, and leaves no folder', async () => {
  const start = new URL('../support/redis/start.ts', import.meta.url).href
  const owner = spawn(
    process.execPath,
    [
      '--no-warnings',
      '--input-type=module',
      '-e',
      `const { port } = await (await import(${JSON.stringify(start)})).startRedis(); console.log(port)`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ownPort = Number((await createInterface(owner.stdout)[Symbol.asyncIterator]().next()).value)
  const own = new Redis({ port: ownPort, host: '127.0.0.1', retryStrategy: () => null })
  own.on('error', () => undefined)
  expect(await own.ping()).toBe('PONG')
  const folder = String(Object(await own.config('GET', 'dir'))[1])
  expect(existsSync(folder)).toBe(true)
  owner.kill('SIGKILL')
  await expect.poll(() => own.status).toBe('end')
  await expect.poll(() => existsSync(folder)).toBe(false)
})

test('a server that cannot start is reported', async () => {
  await expect(startRedis('--no-such-setting', 'x')).rejects.toThrow('Redis did not start')
})
