const params = { id: 'exec_01K3AA1C5D9F3H7K2M6P8R0T4V' }
const rows = [
  { title: 'Fountain pen', price: 24.5 },
  { title: 'Ink, blue', price: null },
]

/** Examples of rows, for the documentation. */
export const RESULT_EXAMPLES = {
  list: {
    params,
    query: { fields: 'title,price', limit: '100' },
    data: { items: rows, nextCursor: null, columns: ['title', 'price'] },
  },
  export: { params, query: { format: 'csv', fields: 'title,price' } },
}
