import type { RequestListener } from 'node:http'
import { expect, test } from 'vitest'
import { findingsOfServer } from '../../../adapters/command/doctor-server.ts'
import { serveHttp } from '../../support/loopback.ts'

const ME = '{"success":true,"data":{"account":"acme","scopes":["tasks:read"]}}'
const READY = '{"ok":true,"store":{"ok":true},"blobs":{"ok":true}}'

/** The checks of a server below `/seine`, where another program has the rest of the paths. */
async function findingsAt(ready: RequestListener) {
  await using server = await serveHttp((request, response) => {
    if (request.url === '/seine/api/v1/me') response.end(ME)
    else if (request.url === '/seine/readyz') ready(request, response)
    else response.writeHead(503).end('{"ok":false}')
  })
  return await findingsOfServer({ url: `${server.origin}/seine/`, key: 'key' }, {})
}

const passed = [
  { check: 'server', state: 'ok', says: expect.stringMatching(/\/seine answers in \d+ ms$/) },
  { check: 'key', state: 'ok', says: 'of account acme, with tasks:read' },
]

test('a server below a path is asked there whether it is ready', async () => {
  expect(await findingsAt((_request, response) => response.end(READY))).toEqual([
    ...passed,
    { check: 'ready', state: 'ok', says: 'store and blobs answer' },
  ])
})
