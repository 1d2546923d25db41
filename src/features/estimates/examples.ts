const data = {
  pages: 1_000,
  credits: 500,
  seconds: null,
  boundedBy: { pages: 'max_pages', credits: 'budget' },
  wallet: { spendable: 9_240, leftToday: null, enough: true },
  prices: { fetched: 1, unchanged: 0 },
}
const recipe = {
  start: { urls: ['https://shop.example.com/list'] },
  follow: [{ links: 'a.product' }],
  crawl: { maxPages: 1_000 },
  budget: { credits: 500 },
  extract: { fields: { title: 'h1' } },
}

/** Examples of estimates, for the documentation. */
export const ESTIMATE_EXAMPLES = {
  recipe: { body: { recipe }, data },
  task: {
    params: { id: 'task_01K3A9Z7Q4T8V2M6N0P5R1S7WX' },
    body: { budget: { credits: 500 } },
    data,
  },
}
