import type { RequestListener } from 'node:http'
import { expect, test } from 'vitest'
import { findingsOfServer } from '../../../../adapters/command/doctor/doctor-server.ts'
import { serveHttp } from '../../../support/loopback.ts'

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

test('a readiness that is not answered takes nothing away of what was found', async () => {
  expect(await findingsAt((_request, response) => response.destroy())).toEqual([
    ...passed,
    { check: 'ready', state: 'wrong', says: expect.stringMatching(/^\/readyz does not answer: ./) },
  ])
  expect(await findingsAt((_request, response) => response.writeHead(404).end('none'))).toEqual([
    ...passed,
    { check: 'ready', state: 'note', says: expect.stringContaining('it has no /readyz') },
  ])
})
