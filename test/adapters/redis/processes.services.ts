import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { createRedisStore } from '../../../adapters/redis/index.ts'
import { storeCrowd } from '../../contracts/store-crowd.ts'
import { storeKills } from '../../contracts/store-kills.ts'
import { startChild } from '../../support/stores/child.ts'
import { openRedis } from '../../support/redis/open.ts'
import { startWriter } from '../../support/stores/writer-process.ts'

const { port, client, prefix } = openRedis()
const own = prefix()
const prefixOf = (place: string): string => `${own}-${place}`
const open = (place: string) => createRedisStore({ client, prefix: prefixOf(place) })

const start = () =>
  startWriter(
    [
      process.execPath,
      '--no-warnings',
      fileURLToPath(new URL('./writer.ts', import.meta.url)),
      String(port),
    ],
    prefixOf,
  )
const processes = Array.from({ length: 4 }, start)
afterAll(() => Promise.all(processes.map((writer) => writer.close())))

storeCrowd('createRedisStore', { open, writers: processes.map(({ run }) => run), rounds: 200 })
storeKills('createRedisStore', { open, start })

it('four processes together get no more calls through than one', async () => {
  const name = prefix()
  const script = fileURLToPath(new URL('./take-all.ts', import.meta.url))
  const children = Array.from({ length: 4 }, () => startChild(script, String(port), name, '60'))
  const allowed = await Promise.all(children.map(({ output }) => text(output)))
  expect(children.map(({ errors }) => errors())).toEqual(['', '', '', ''])
  expect(allowed.reduce((sum, one) => sum + Number(one), 0)).toBe(100)
})
