/** The answer of every contender's tool: a few hits, like those of a search. */
export const HITS = [1, 2, 3].map((n) => ({
  title: `Result ${n}`,
  url: `https://pens.example.com/${n}`,
  text: 'A fountain pen holds its ink in the barrel, and a nib leads it to the paper.',
}))

/** The same in the shape of the tool's answer. */
export const ANSWER = {
  results: HITS.map(({ title, url, text }) => ({ id: url, title, url, text })),
}

/** The tool as contenders without Seine list it. */
export const TOOL = {
  name: 'search',
  description: 'Searches',
  inputSchema: {
    type: 'object' as const,
    properties: { query: { type: 'string' } },
    required: ['query'],
  },
}

/** The key that contenders without a store know. */
export const KEY = 'svc_sk_bench'
