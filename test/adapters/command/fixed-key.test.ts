import { expect, test } from 'vitest'
import { admitKey } from '../../../adapters/command/data-directory.ts'

const principal = { account: 'default', user: 'dev', scopes: ['*'] }
const ask = (headers: Record<string, string>) =>
  admitKey('svc_sk_right', principal)(new Request('http://x/', { headers }))

test('a request with the key is admitted, in both forms of header', async () => {
  expect(await ask({ authorization: 'Bearer svc_sk_right' })).toEqual(principal)
  expect(await ask({ authorization: 'bearer  svc_sk_right' })).toEqual(principal)
  expect(await ask({ 'x-api-key': 'svc_sk_right' })).toEqual(principal)
})

test('a request with another key, or with two different keys, is not admitted', async () => {
  expect(await ask({})).toBeNull()
  expect(await ask({ authorization: 'Bearer svc_sk_righ' })).toBeNull()
  expect(await ask({ authorization: 'Basic svc_sk_right' })).toBeNull()
  expect(
    await ask({ authorization: 'Bearer svc_sk_right', 'x-api-key': 'svc_sk_wrong' }),
  ).toBeNull()
})

test.for(['svc_sk_', 'sk_123', 'svc_sk_with space', 'svc_sk_a,b', 'svc_sk_a,', ''])(
  '%j is refused as a key',
  (key) => {
    expect(() => admitKey(key, principal)).toThrow('--key must be an API key: svc_sk_')
  },
)
