import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Platform } from '../../src/platform/options.ts'
import type { Json } from '../../src/kernel/json.ts'
import { browserOf, OWNER, platformOf, run } from './render-world.ts'
import type { JsonObject } from './render-world.ts'
import { openScriptShop } from './script-shop.ts'
import type { ScriptShop } from './script-shop.ts'

let shop: ScriptShop
let platform: Platform
let shots = ''

beforeAll(async () => {
  shop = await openScriptShop()
  shots = await mkdtemp(join(tmpdir(), 'seine-pages-'))
  platform = platformOf({ browser: browserOf(), allowPrivateNetwork: true })
})
afterAll(async () => {
  await platform.close()
  shop.close()
  console.log(`Screenshots: ${shots}`)
})

interface Picture {
  readonly id: string
  readonly url: string
  readonly contentType: string
  readonly bytes: number
  readonly sourceUrl: string
}

function pictureOf(value: Json | undefined): Picture {
  expect(value).toEqual({
    id: expect.any(String),
    url: expect.any(String),
    contentType: expect.any(String),
    bytes: expect.any(Number),
    sourceUrl: expect.any(String),
  })
  return JSON.parse(JSON.stringify(value))
}

/** The bytes of a row's picture, and its media record. */
async function take(path: string, page: JsonObject) {
  const { execution, rows } = await run(platform, {
    start: { urls: [shop.origin + path] },
    page: { render: 'browser', ...page },
    extract: { fields: { title: 'title' } },
    formats: ['screenshot'],
  })
  expect(execution.status).toBe('succeeded')
  const picture = pictureOf(rows[0]?.['screenshot'])
  const answer = await platform.fetch(new Request(new URL(picture.url, 'http://localhost')))
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('image/png')
  const bytes = new Uint8Array(await answer.arrayBuffer())
  await writeFile(join(shots, `${path.slice(1)}-${JSON.stringify(page).length}.png`), bytes)
  return { picture, bytes }
}

/**
 * Reads the head of a PNG, and the colour of its first pixel (Portable Network Graphics, 8 bits a
 * sample).
 */
function readPng(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  expect([...bytes.subarray(0, 8)]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const parts: Uint8Array[] = []
  for (let index = 8; index < bytes.length; index += view.getUint32(index) + 12) {
    if (String.fromCharCode(...bytes.subarray(index + 4, index + 8)) === 'IDAT')
      parts.push(bytes.subarray(index + 8, index + 8 + view.getUint32(index)))
  }
  const pixels = inflateSync(Buffer.concat(parts))
  return {
    width: view.getUint32(16),
    height: view.getUint32(20),
    first: [...pixels.subarray(1, 4)],
  }
}

it('a picture of the visible page, with its styles, becomes media of the row', async () => {
  const { picture, bytes } = await take('/pens', {
    viewport: { width: 640, height: 480 },
    actions: [{ wait: '.pen' }],
  })
  expect(picture).toMatchObject({
    id: expect.stringMatching(/^med_[0-9a-f]{64}$/),
    contentType: 'image/png',
    bytes: bytes.length,
    sourceUrl: `${shop.origin}/pens`,
  })
  // The colour is that of the style sheet.
  expect(readPng(bytes)).toEqual({ width: 640, height: 480, first: [0x20, 0x40, 0x80] })
})

it('a picture can show the whole page', async () => {
  const { bytes } = await take('/long', { screenshot: 'full' })
  expect(readPng(bytes)).toMatchObject({ width: 1_280, height: 3_500 })
})

it('the same picture is kept once, as media of the kind screenshot', async () => {
  const [one, two] = [await take('/plain', {}), await take('/plain', {})]
  expect(two.picture.id).toBe(one.picture.id)
  expect(await platform.api.media.get(OWNER, one.picture.id)).toMatchObject({
    kind: 'screenshot',
    width: 1_280,
    height: 800,
  })
})
