import { expect, it } from 'vitest'
import { createServiceHost } from '../../support/worlds/service-host.ts'

const KEYS = '/api/v1/keys'

it('the end of a key ends all keys below it, also of more than one commit revokes', async () => {
  const { call } = await createServiceHost()
  const make = async (by?: string): Promise<{ id: string; secret: string }> =>
    (
      await call('POST', KEYS, {
        body: { name: 'k', scopes: ['keys:write'] },
        ...(by !== undefined && { key: by }),
      })
    ).body.data
  const root = await make()
  const keys = []
  // One commit revokes 250.
  for (let i = 0; i < 260; i++) keys.push(await make(root.secret))
  const ended = await call('DELETE', `${KEYS}/${root.id}?descendants=true`)
  expect(ended.body.data.descendantsRevoked).toBe(260)
  for (const { secret } of [root, ...keys])
    expect((await call('GET', KEYS, { key: secret })).status).toBe(401)
})
