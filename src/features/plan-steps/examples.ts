const id = 'exec_01K3AA1C5D9F3H7K2M6P8R0T4V'

/** Examples of plans, for the documentation. */
export const PLAN_EXAMPLES = {
  list: {
    params: { id },
    data: {
      executionId: id,
      steps: [
        {
          id: 'start',
          kind: 'start',
          title: 'Take 20 start pages',
          state: 'done',
          counts: { urls: 20 },
        },
        {
          id: 'visit-start',
          kind: 'visit',
          title: 'Visit the start pages',
          state: 'running',
          counts: { found: 20, settled: 12, fetched: 12 },
        },
        {
          id: 'visit-detail',
          kind: 'visit',
          title: 'Visit the pages with the label detail',
          state: 'running',
          counts: { found: 118, settled: 90, fetched: 89 },
        },
        {
          id: 'follow-0',
          kind: 'follow',
          title: 'Follow the links a.product to pages with the label detail',
          state: 'running',
          counts: { links: 118 },
        },
        {
          id: 'extract',
          kind: 'extract',
          title: 'Extract title, price from pages with the label detail',
          state: 'running',
          counts: { pages: 89, rows: 89 },
        },
      ],
    },
  },
}
