const list = 'https://shop.example.com/list?page=1'
const detail = 'https://shop.example.com/pens/7'
const recipe = {
  start: { urls: [list] },
  follow: [{ links: 'a.product', as: 'detail' }],
  extract: { on: 'detail', fields: { title: 'h1', price: { css: '.price', as: 'number' } } },
}
const page = { finalUrl: null, outcome: 'fetched', reason: null, httpStatus: 200 }
const title = {
  path: 'extract.fields.title',
  source: 'css h1',
  matches: 1,
  values: 1,
  used: 1,
  sample: 'Fountain pen',
  failed: null,
  unclear: null,
  examples: [{ url: detail, before: 'Fountain pen', after: 'Fountain pen' }],
  reason: null,
  pages: [{ url: detail, matches: 1, values: 1 }],
}
const price = {
  path: 'extract.fields.price',
  source: 'css .price',
  matches: 1,
  values: 0,
  used: 0,
  sample: null,
  failed: { url: detail, text: 'on request', as: 'number' },
  unclear: null,
  examples: [{ url: detail, before: 'on request', after: null }],
  reason: '1 match; "on request" cannot be read as number',
  pages: [{ url: detail, matches: 1, values: 0 }],
}

const data = {
  columns: ['title', 'price'],
  rows: [{ title: 'Fountain pen', price: null }],
  totals: { pages: 2, rows: 1, durationMs: 640, credits: 0 },
  fields: [
    { field: 'title', filled: 1, rate: 1, sources: [title] },
    { field: 'price', filled: 0, rate: 0, sources: [price] },
  ],
  pages: [
    { ...page, url: list, label: 'start', depth: 0, durationMs: 310, bytes: 18_203, rows: 0 },
    { ...page, url: detail, label: 'detail', depth: 1, durationMs: 284, bytes: 22_016, rows: 1 },
  ],
  links: [
    { path: 'follow.0.links', selector: 'a.product', label: 'detail', found: 1, samples: [detail] },
  ],
  warnings: [
    {
      code: 'field_empty',
      path: 'extract.fields.price',
      message:
        'Field price: css .price matched once, but no match could be read as number; it found ' +
        '"on request"',
    },
  ],
  proposal: null,
  proposals: [],
  refused: [],
}

/** Examples of previews, for the documentation. */
export const PREVIEW_EXAMPLES = {
  recipe: { body: { recipe }, data },
  explain: {
    params: { id: 'exec_01K3AA1C5D9F3H7K2M6P8R0T4V' },
    query: { url: detail },
    data: {
      ...data,
      totals: { pages: 1, rows: 1, durationMs: 12, credits: 0 },
      pages: data.pages.slice(1).map((visited) => ({ ...visited, durationMs: 0 })),
      links: [],
    },
  },
  task: { params: { id: 'task_01K3A9Z7Q4T8V2M6N0P5R1S7WX' }, body: { urls: [list] }, data },
}
