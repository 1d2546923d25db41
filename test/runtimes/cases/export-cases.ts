import { CATALOGUE } from '../../../examples/demo/catalogue.ts'
import { runRecipe } from './crawl-cases.ts'
import { equal, like, that } from './expect.ts'
import type { Case, Stage } from './stage.ts'
import { digestOf } from './tokens.ts'
import { unzip } from './unzip.ts'

const FORMATS = ['csv', 'jsonl', 'json', 'xlsx', 'parquet', 'xml', 'html'] as const
const pens = CATALOGUE.find(({ slug }) => slug === 'pens')?.products ?? []

/** The first bytes by which readers recognise a format. */
const BEGINNINGS: Readonly<Record<(typeof FORMATS)[number], RegExp>> = {
  csv: /^\u00ef\u00bb\u00bfname,price,image\r\n|^name,price,image\r\n/,
  jsonl: /^\{"name":/,
  json: /^\[\s*\{"name":/,
  xlsx: /^PK\u0003\u0004/,
  parquet: /^PAR1/,
  xml: /^<\?xml /,
  html: /^<!doctype html>/i,
}

/** The 20 pens over three pages, in their order. */
async function pensRun(stage: Stage): Promise<string> {
  const { id } = await runRecipe(stage, 'Pens', {
    start: { urls: [`${stage.shop}/category/pens`] },
    follow: [{ next: 'a.next' }],
    extract: {
      items: '.product',
      fields: {
        name: 'h2',
        price: { css: '.price', as: 'number' },
        image: { css: 'img', attr: 'src' },
      },
    },
  })
  return id
}

/** Files of rows are complete, and the same on every runtime. */
export const exportCases: readonly Case[] = [
  {
    name: 'export: all formats, with the same bytes on every runtime',
    async run(stage) {
      const id = await pensRun(stage)
      const same: Record<string, string> = {}
      for (const format of FORMATS) {
        const response = await stage.send(
          `/api/v1/executions/${id}/results/export?format=${format}`,
          { headers: { 'x-api-key': stage.key } },
        )
        equal(response.status, 200, format)
        like(
          response.headers.get('content-disposition'),
          new RegExp(`^attachment; filename="?[^"]+\\.${format}`),
          `name of ${format}`,
        )
        const bytes = new Uint8Array(await response.arrayBuffer())
        like(
          String.fromCharCode(...bytes.subarray(0, 60)),
          BEGINNINGS[format],
          `beginning of ${format}`,
        )
        if (format === 'csv')
          equal(
            new TextDecoder().decode(bytes).trim().split('\r\n').length,
            pens.length + 1,
            'lines',
          )
        if (format === 'json')
          equal(
            JSON.parse(new TextDecoder().decode(bytes)),
            pens.map(({ name, price, slug }) => ({ name, price, image: `/images/${slug}.svg` })),
            'rows',
          )
        if (format === 'parquet')
          equal(String.fromCharCode(...bytes.slice(-4)), 'PAR1', 'end of parquet')
        same[format] =
          format === 'xlsx' ? JSON.stringify(await unzip(bytes)) : await digestOf(bytes)
      }
      return same
    },
  },
  {
    name: 'export: compressed for who asks for it',
    async run(stage) {
      const id = await pensRun(stage)
      const path = `/api/v1/executions/${id}/results/export?format=csv`
      const plain = await (
        await stage.send(path, {
          headers: { 'x-api-key': stage.key, 'accept-encoding': 'identity' },
        })
      ).text()
      // `fetch` of every runtime asks for compression and decompresses by itself.
      const packed = await (
        await stage.send(path, { headers: { 'x-api-key': stage.key, 'accept-encoding': 'gzip' } })
      ).text()
      equal(packed, plain)
      that(plain.includes(pens[0]?.name ?? 'a pen'), 'the file has the rows')
    },
  },
]
