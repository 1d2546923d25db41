const id = 'snap_01K3AD2C6F0J4M8P2S5V9X3Z7B'

/** Examples of snapshots, for the documentation. */
export const SNAPSHOT_EXAMPLES = {
  get: {
    params: { id },
    data: {
      id,
      url: 'https://shop.example.com/list',
      expiresAt: '2030-01-31T13:00:00.000Z',
      html:
        '<!doctype html><html><head><title>Pens</title></head>' +
        '<body data-seine-index="2"><h1 data-seine-index="3">Pens</h1></body></html>',
      styles: ['h1 { color: navy }'],
      elements: 2,
      isCut: false,
      screenshot: null,
    },
  },
  files: {
    params: { id },
    query: {},
    data: {
      items: [
        {
          kind: 'style',
          url: 'https://shop.example.com/shop.css',
          content: 'li { float: left }',
          reason: null,
          elements: [],
          position: 0,
        },
        {
          kind: 'picture',
          url: 'https://shop.example.com/pen.png',
          content: null,
          reason: 'HTTP 404',
          elements: [17],
          position: null,
        },
      ],
      nextCursor: null,
    },
  },
  point: {
    params: { id },
    body: { elements: [42], items: 'li.product' },
    data: {
      name: 'price',
      text: '€ 12.50',
      attributes: {},
      isInItems: true,
      sources: [
        {
          selector: '.price',
          field: { css: '.price', as: 'number' },
          matches: 24,
          elements: [42, 51],
        },
      ],
      lists: [],
      link: null,
    },
  },
}
