import { runRecipe, rowsOf } from './crawl-cases.ts'
import { equal, like, that } from './expect.ts'
import type { Case, Stage } from './stage.ts'

interface Picture {
  readonly id: string
  readonly url: string
  readonly contentType: string
  readonly bytes: number
  readonly sourceUrl: string
}

async function pictureOf(stage: Stage): Promise<Picture> {
  const { id } = await runRecipe(stage, 'A picture', {
    start: { urls: [`${stage.shop}/product/fountain-pen-in-brass`] },
    extract: { fields: { photo: { css: '.photo', as: 'media' } } },
  })
  const [row] = await rowsOf(stage, id)
  return JSON.parse(JSON.stringify(row?.['photo']))
}

/** The media CDN. */
export const mediaCases: readonly Case[] = [
  {
    name: 'media: a picture is kept and served by its token, whole and in parts',
    async run(stage) {
      const picture = await pictureOf(stage)
      const original = await (await fetch(picture.sourceUrl)).text()
      equal(
        [picture.contentType, picture.bytes],
        ['image/svg+xml', new TextEncoder().encode(original).byteLength],
      )
      const path = new URL(picture.url, stage.url).href.slice(stage.url.length)
      const whole = await stage.send(path)
      equal([whole.status, await whole.text()], [200, original])
      like(whole.headers.get('content-security-policy'), /^sandbox/, 'Content-Security-Policy')
      const part = await stage.send(path, { headers: { range: 'bytes=5-9' } })
      equal(
        [part.status, part.headers.get('content-range'), await part.text()],
        [206, `bytes 5-9/${picture.bytes}`, original.slice(5, 10)],
      )
      const beyond = await stage.send(path, { headers: { range: `bytes=${picture.bytes}-` } })
      equal(beyond.status, 416)
      const etag = whole.headers.get('etag') ?? ''
      equal((await stage.send(path, { headers: { 'if-none-match': etag } })).status, 304)
      return { etag }
    },
  },
  {
    name: 'media: without its token, or with another, nothing is served',
    async run(stage) {
      const picture = await pictureOf(stage)
      const url = new URL(picture.url, stage.url)
      const bare = await stage.send(url.pathname)
      const token = url.searchParams.get('token') ?? ''
      const forged = await stage.send(
        `${url.pathname}?token=${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
      )
      that(bare.status >= 400 && forged.status >= 400, 'both are refused')
      return {
        statuses: `${bare.status} ${forged.status}`,
        bodies: `${await bare.text()} ${await forged.text()}`,
      }
    },
  },
]
