import { describe, expect, it } from 'vitest'
import type { Json, Row } from '../../../src/kernel/json.ts'
import { pngOf } from '../../support/fakes/image-bytes.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'
const picture = pngOf(640, 480)
const other = pngOf(64, 48, 1)
const image = (body: Uint8Array | string, type = 'image/png') => ({
  headers: { 'content-type': type },
  body,
})
const RECIPE = {
  start: { urls: [`${SITE}/`] },
  extract: {
    items: '.card',
    fields: {
      name: 'h2',
      image: { css: 'img', as: 'media' },
      files: { css: 'a', as: 'media', many: true },
    },
  },
}

/** Reads a nested value of rows. */
function at(value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? Reflect.get(inner, name) : undefined,
    value,
  )
}
const text = (value: Json | undefined): string =>
  typeof value === 'string' ? value : expect.fail(`${JSON.stringify(value)} is no text`)

/** Runs a recipe over one page and gives its rows with the world. */
async function run(
  html: string,
  web: Parameters<typeof createWorld>[0] = {},
  options: Parameters<typeof createWorld>[1] = {},
  recipe: Json = RECIPE,
) {
  const world = createWorld({ [`${SITE}/`]: html, ...web }, options)
  const id = await world.start(recipe)
  await world.work()
  const get = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
    world.platform.fetch(new Request(new URL(url, 'http://data.test'), { method, headers }))
  return {
    ...world,
    id,
    rows: await world.rows(id),
    get,
    linksIn: (rows: readonly Row[]) => rows.map((row) => at(row['image'], 'url')),
  }
}

describe('media in rows', () => {
  it('of a page have metadata in rows, and bytes behind their links', async () => {
    const { rows, platform, get, read, id } = await run(
      '<div class=card><h2>Pen</h2><img src=/i/pen.png><a href=/d/data.csv>csv</a><a href=/gone>x</a></div>',
      {
        [`${SITE}/i/pen.png`]: image(picture),
        [`${SITE}/d/data.csv`]: image('a,b\n1,2\n', 'text/csv'),
      },
    )
    expect(await read(id)).toMatchObject({
      status: 'succeeded',
      counters: { fetched: 1, failed: 0 },
      cost: { credits: 1 },
    })
    expect(rows).toEqual([
      {
        name: 'Pen',
        image: {
          id: expect.stringMatching(/^med_[\da-f]{64}$/),
          url: expect.stringMatching(/^\/media\/[\w-]{22}\/[\da-f]{64}\/pen\.png\?token=/),
          contentType: 'image/png',
          bytes: picture.length,
          sourceUrl: `${SITE}/i/pen.png`,
        },
        files: [
          {
            id: expect.any(String),
            url: expect.stringContaining('/data.csv?'),
            contentType: 'text/csv',
            bytes: 8,
            sourceUrl: `${SITE}/d/data.csv`,
          },
          {
            sourceUrl: `${SITE}/gone`,
            error: { code: 'http_404', message: 'The site answered 404' },
          },
        ],
      },
    ])
    const item = await platform.api.media.get(
      OWNER,
      text(at(rows[0], 'image', 'id')),
      () => 'https://data.example.com',
    )
    expect(item).toMatchObject({
      kind: 'image',
      name: 'pen.png',
      width: 640,
      height: 480,
      bytes: picture.length,
      sourceUrl: `${SITE}/i/pen.png`,
      firstSeenAt: expect.stringMatching(/^2026-/),
      url: expect.stringMatching(/^https:\/\/data\.example\.com\/media\//),
    })
    for (const url of [text(at(rows[0], 'image', 'url')), item.url]) {
      const response = await get(url)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(picture)
    }
    await expect(
      platform.api.media.get({ ...OWNER, account: 'umbra' }, item.id),
    ).rejects.toMatchObject({ status: 404 })
  })

  it('are fetched once in a run, stored once for an account, and found again by a later run', async () => {
    const world = await run(
      '<div class=card><h2>A</h2><img src=/a.png></div><div class=card><h2>B</h2>' +
        '<img src=/a.png></div><div class=card><h2>C</h2><img src=/same.png></div>',
      { [`${SITE}/a.png`]: image(picture), [`${SITE}/same.png`]: image(picture) },
    )
    expect(world.web.requests.get(`${SITE}/a.png`)).toBe(1)
    expect(new Set(world.rows.map(({ image: value }) => at(value, 'id'))).size).toBe(1)
    expect(await world.blobs.list('media/')).toHaveLength(1)
    const first = await world.platform.api.media.get(OWNER, text(at(world.rows[0], 'image', 'id')))
    await world.clock.advance(86_400_000)
    const again = await world.start(RECIPE)
    await world.work()
    expect(
      (await world.platform.api.results.list(OWNER, again)).items.map(({ image: value }) =>
        at(value, 'id'),
      ),
    ).toEqual([first.id, first.id, first.id])
    expect((await world.platform.api.media.get(OWNER, first.id)).firstSeenAt).toBe(
      first.firstSeenAt,
    )
  })

  it('may be data URLs, whose content is not in the row', async () => {
    const { rows, get, web } = await run(
      '<div class=card><h2>A</h2><img src="data:image/png;base64,' +
        `${Buffer.from(picture).toString('base64')}"></div><div class=card><h2>B</h2>` +
        '<img src="data:image/png;base64,!"></div>',
    )
    expect(at(rows[0], 'image')).toMatchObject({
      contentType: 'image/png',
      sourceUrl: 'data:image/png;base64',
    })
    expect(
      new Uint8Array(await (await get(text(at(rows[0], 'image', 'url')))).arrayBuffer()),
    ).toEqual(picture)
    expect(at(rows[1], 'image')).toEqual({
      sourceUrl: 'data:image/png;base64',
      error: { code: 'invalid_url', message: 'This is not a valid data URL' },
    })
    expect([...web.requests.keys()].filter((url) => !url.endsWith('robots.txt'))).toEqual([
      `${SITE}/`,
    ])
  })

  it('that cannot be fetched have the reason in the row, and nothing else fails', async () => {
    const cards = [
      '/broken',
      '/down',
      '/empty',
      '/big',
      '/private/x.png',
      '/away',
      'https://inside.example.com/x.png',
      'http://127.0.0.1/x.png',
      'mailto:a@b.c',
      '/ok.png',
    ]
    const { rows, read, id, web } = await run(
      cards.map((src, i) => `<div class=card><h2>${i}</h2><img src="${src}"></div>`).join(''),
      {
        [`${SITE}/robots.txt`]: {
          headers: { 'content-type': 'text/plain' },
          body: 'User-agent: *\nDisallow: /private/',
        },
        [`${SITE}/broken`]: { status: 500 },
        [`${SITE}/down`]: 'down',
        [`${SITE}/empty`]: image(''),
        [`${SITE}/big`]: image(new Uint8Array(200)),
        [`${SITE}/away`]: { status: 302, headers: { location: '/private/y.png' } },
        [`${SITE}/ok.png`]: image(picture),
        'https://inside.example.com/x.png': {
          status: 302,
          headers: { location: 'http://169.254.169.254/' },
        },
      },
      { media: { maxBytes: 100 } },
    )
    expect(
      rows.map(
        ({ image: value }) => at(value, 'error', 'code') ?? at(value, 'contentType') ?? null,
      ),
    ).toEqual([
      'http_500',
      'connection',
      'empty',
      'too_large',
      'robots_disallowed',
      'robots_disallowed',
      'refused',
      'site_unreachable',
      null,
      'image/png',
    ])
    expect([...web.requests.keys()].filter((url) => /private|169\.254|127\.0/.test(url))).toEqual(
      [],
    )
    expect(await read(id)).toMatchObject({
      status: 'succeeded',
      counters: { fetched: 1, failed: 0 },
    })
  })

  it('keep to the limits of a page, of an execution and of bytes', async () => {
    const html = Array.from(
      { length: 6 },
      (_, i) => `<div class=card><h2>${i}</h2><img src="/${i}.png"></div>`,
    ).join('')
    const web = Object.fromEntries(
      Array.from({ length: 6 }, (_, i) => [`${SITE}/${i}.png`, image(pngOf(1, 1, i))]),
    )
    const errors = (rows: readonly Row[]) =>
      rows.map((row) => at(row, 'image', 'error', 'code') ?? null)
    expect(errors((await run(html, web, { media: { maxItemsPerPage: 4 } })).rows)).toEqual([
      null,
      null,
      null,
      null,
      'media_limit',
      'media_limit',
    ])
    const limited = await run(html, web, { media: { maxItemsPerExecution: 3 } })
    expect(errors(limited.rows)).toEqual([
      null,
      null,
      null,
      'media_limit',
      'media_limit',
      'media_limit',
    ])
    expect([...limited.web.requests.keys()].filter((url) => url.endsWith('.png'))).toHaveLength(3)
    // Four are fetched at a time, so up to four may be in progress when the bytes are used up.
    const byBytes = errors((await run(html, web, { media: { maxBytesPerExecution: 1 } })).rows)
    expect(byBytes.slice(-2)).toEqual(['media_limit', 'media_limit'])
  })

  it('are requested with the referrer of a browser, and without headers of the recipe', async () => {
    const sent: Record<string, Readonly<Record<string, string>>> = {}
    const world = createWorld({
      [`${SITE}/list?x=1`]:
        '<div class=card><h2>A</h2><img src=/a.png><a href=https://cdn.example.com/b.png>b</a></div>',
      [`${SITE}/a.png`]: image(picture),
      'https://cdn.example.com/b.png': image(other),
    })
    const { send } = world.web
    Object.assign(world.web, {
      send: (request: Parameters<typeof send>[0]) => {
        sent[request.url.href] = request.headers
        return send(request)
      },
    })
    const id = await world.start({
      ...RECIPE,
      start: { urls: [`${SITE}/list?x=1`] },
      page: { headers: { 'X-Secret': 'canary' } },
    })
    await world.work()
    expect(await world.rows(id)).toHaveLength(1)
    expect(sent[`${SITE}/list?x=1`]).toMatchObject({ 'x-secret': 'canary' })
    expect(sent[`${SITE}/a.png`]).toMatchObject({ referer: `${SITE}/list?x=1` })
    expect(sent['https://cdn.example.com/b.png']).toMatchObject({ referer: `${SITE}/` })
    expect(
      JSON.stringify([sent[`${SITE}/a.png`], sent['https://cdn.example.com/b.png']]),
    ).not.toContain('canary')
  })

  it('are requested with the delay of the recipe', async () => {
    const times: number[] = []
    const world = createWorld({
      [`${SITE}/`]: '<div class=card><h2>A</h2><img src=/a.png><a href=/b.png>b</a></div>',
      [`${SITE}/a.png`]: () => image((times.push(world.clock.now()), picture)),
      [`${SITE}/b.png`]: () => image((times.push(world.clock.now()), other)),
    })
    const began = world.clock.now()
    await world.start({ ...RECIPE, crawl: { delayMs: 5_000, robots: false } })
    await world.work()
    expect(times.map((time) => time - began)).toEqual([5_000, 10_000])
  })

  it('are found in nested fields and in JSON', async () => {
    const recipe = {
      start: { urls: [`${SITE}/`] },
      extract: {
        fields: {
          cover: { jsonld: '$..image', as: 'media' },
          og: [{ meta: 'og:image', as: 'media' }, { const: 'none' }],
          reviews: {
            css: '.review',
            many: true,
            fields: { by: 'b', photo: { css: 'img', as: 'media' } },
          },
        },
      },
    }
    const { rows } = await run(
      '<script type="application/ld+json">{"@type":"Product",' +
        '"image":[{"@type":"ImageObject","url":"/a.png"}]}</script><div class=review><b>Ann' +
        '</b><img src=/b.png></div><div class=review><b>Bob</b></div>',
      { [`${SITE}/a.png`]: image(picture), [`${SITE}/b.png`]: image(other) },
      {},
      recipe,
    )
    expect(rows).toEqual([
      {
        cover: expect.objectContaining({
          id: expect.any(String),
          url: expect.any(String),
          sourceUrl: `${SITE}/a.png`,
        }),
        og: 'none',
        reviews: [
          {
            by: 'Ann',
            photo: expect.objectContaining({ url: expect.any(String), bytes: other.length }),
          },
          { by: 'Bob', photo: null },
        ],
      },
    ])
  })
})

describe('links to media', () => {
  const page =
    '<div class=card><h2>Pen, blue</h2><img src=/pen.png><a href=/x.zip>x</a><a href=/gone>y</a></div>'
  const web = {
    [`${SITE}/pen.png`]: image(picture),
    [`${SITE}/x.zip`]: image('PK\x03\x04', 'application/zip'),
  }
  const asText = async (body: ReadableStream<Uint8Array<ArrayBuffer>>) => new Response(body).text()

  it('are in exports: as URLs in cells, or as objects if the format has them', async () => {
    const { platform, id, get } = await run(page, web)
    const base = () => 'https://data.example.com'
    const csv = await asText(
      (await platform.api.results.export(OWNER, id, { format: 'csv' }, base)).body,
    )
    const [, link = ''] =
      /^"Pen, blue",(https:\/\/data\.example\.com\/media\/\S+?),"\[""https:\/\/data\.example\.com\/media\/[^"]+"",null\]"\r$/m.exec(
        csv,
      ) ?? []
    expect((await get(link)).status).toBe(200)
    const lines = await asText(
      (await platform.api.results.export(OWNER, id, { format: 'jsonl' }, base)).body,
    )
    expect(JSON.parse(lines)).toMatchObject({
      image: { url: link, contentType: 'image/png' },
      files: [{ url: expect.stringContaining('x.zip') }, { error: { code: 'http_404' } }],
    })
    // A column without media is not treated as media.
    expect(
      await asText(
        (await platform.api.results.export(OWNER, id, { format: 'jsonl', fields: ['name'] }, base))
          .body,
      ),
    ).toBe('{"name":"Pen, blue"}\n')
  })

  it('begin with the address of the request, or with the one of the host', async () => {
    const path = async (
      options: Parameters<typeof createWorld>[1],
      url: (id: string) => string,
    ) => {
      const { platform, id } = await run(page, web, options)
      const { secret } = await platform.api.keys.create(OWNER, { name: 'k', scopes: ['*'] })
      const response = await platform.fetch(
        new Request(url(id), { headers: { 'x-api-key': secret } }),
      )
      const body: { data: { items: { image: { url: string } }[] } } = await response.json()
      return body.data.items[0]?.image.url.replace(/\/media\/.*/, '')
    }
    expect(await path({}, (id) => `http://data.test:8080/api/v1/executions/${id}/results`)).toBe(
      'http://data.test:8080',
    )
    expect(
      await path(
        { media: { baseUrl: 'https://cdn.example.com/data/' } },
        (id) => `http://data.test/api/v1/executions/${id}/results`,
      ),
    ).toBe('https://cdn.example.com/data')
    for (const baseUrl of ['data', 'ftp://x', 'https://x/?a=1'])
      expect(() => createWorld({}, { media: { baseUrl } })).toThrow('media.baseUrl')
    for (const tokenSeconds of [0, -1, 0.5, Number.NaN, Infinity])
      expect(() => createWorld({}, { media: { tokenSeconds } })).toThrow('media.tokenSeconds')
  })

  it('stay the same for some time, so that caches are useful, and are valid at least for their time', async () => {
    const { rows, platform, clock, get, id, linksIn } = await run(page, web, {
      media: { tokenSeconds: 400 },
    })
    const [url] = linksIn(rows)
    const again = async () => linksIn((await platform.api.results.list(OWNER, id)).items)[0]
    const seen = new Set([url])
    for (let i = 0; i < 40; i++) {
      await clock.advance(10_000)
      seen.add(await again())
    }
    // A new link every 100 seconds.
    expect(seen.size).toBeLessThanOrEqual(5)
    expect(seen.size).toBeGreaterThanOrEqual(4)
    const fresh = text(await again())
    await clock.advance(399_000)
    expect((await get(fresh)).status).toBe(200)
    await clock.advance(101_000)
    expect((await get(fresh)).status).toBe(403)
  })
})
