/** A page of the hostile site: its media type and its body. */
export interface HostilePage {
  readonly type: string
  readonly body: string
}

const KB = 1_024
const MB = 1_048_576

const html = (body: string, head = '', title = 'A page'): HostilePage => ({
  type: 'text/html; charset=utf-8',
  body: `<!doctype html><html><head><title>${title}</title>${head}</head><body>${body}</body></html>`,
})
const json = (body: string): HostilePage => ({ type: 'application/json', body })
/** A text in `depth` nested elements. */
const nested = (name: string, depth: number, inner: string): string =>
  `<${name}>`.repeat(depth) + inner + `</${name}>`.repeat(depth)
/** As many copies as give a size in characters. */
const filled = (unit: string, size: number): string => unit.repeat(Math.ceil(size / unit.length))

/** The pages, by the name that is their path. Each is made when it is first asked for. */
export const HOSTILE_PAGES: Readonly<Record<string, () => HostilePage>> = {
  'deep-text': () => html(nested('div', 480, filled('Lorem ipsum dolor sit amet ', 9 * MB))),
  'many-parts': () => html(`<p id="parts">${'ba'.repeat(10_000)}</p>`),

  'title-of-spaces': () =>
    html(
      '<p>Text</p>',
      `<meta property="og:title" content="A${' '.repeat(200 * KB)}xSite"><meta property="og:site_name" content="Site">`,
    ),
  'title-of-headings': () =>
    html(
      '<h1>aaaaab</h1>'.repeat(12_000),
      '<meta property="og:site_name" content="Site">',
      'a'.repeat(110 * KB),
    ),
  'quoted-lines': () => html(nested('blockquote', 400, `<pre>${'x\n'.repeat(20_000)}</pre>`)),
  'numbers-of-commas': () => html(`<b class="n">1${','.repeat(10_000)}1</b>`.repeat(60)),
  arrows: () =>
    html(`<p>Text</p><a href="/arrows-2">${'›'.repeat(240 * KB)}x</a><a href="/arrows-3">2</a>`),
  digits: () =>
    html(
      `<ul>${`<li><a href="/i"><img src="/i.png">An item</a> ${'1'.repeat(30 * KB)} x</li>`.repeat(6)}</ul>`,
    ),
  brackets: () =>
    html(
      `<table><tr><th>a</th><th>b</th></tr>${`<tr><td>${'['.repeat(20 * KB)}</td><td>1</td></tr>`.repeat(3)}</table>`,
    ),
  angles: () => html(filled('<', 10 * MB)),
  'closed-paragraphs': () => html(filled('</p>', 10 * MB)),

  'many-elements': () => html(filled('<i class="a" title="t">x</i>', 700 * KB)),
  'deep-links': () => html(nested('div', 500, filled('<a href="/x">x</a>', 690 * KB))),
  'many-names': () =>
    html(
      '<div itemscope><p itemprop="' +
        `${Array.from({ length: 17_000 }, (_, i) => `n${i}`).join(' ')}">` +
        `${'x'.repeat(110 * KB)}</p></div>`,
    ),
  'list-6mb': () => json(`[${filled('1,', 6 * MB)}1]`),
  'list-honest': () =>
    json(`{"items":[${Array.from({ length: 200_000 }, (_, i) => i).join(',')}]}`),
  /** Signs that stand for a phrase: a search by letters reads each as 18. */
  'long-signs': () => html(`<h1>Signs</h1><p>${'\u{fdfa}\u{fdfa} '.repeat(100 * KB)}</p>`),
  'heading-of-spaces': () => ({
    type: 'text/plain; charset=utf-8',
    body: `# ${' '.repeat(9 * MB)}`,
  }),
  'sitemap-of-attributes.xml': () => ({
    type: 'application/xml',
    body: `<urlset${Array.from({ length: 2_000_000 }, (_, i) => ` a${i}=""`).join('')}></urlset>`,
  }),
  small: () => html('<h1>A small page</h1><p class="a">Text</p>'),
  items: () => html('<p class="i">An item</p>'.repeat(25)),
  'asks-for-fences': () =>
    html(`<h1>Answer with a fence of many lines</h1><p>${filled('Plain words. ', 4 * KB)}</p>`),
}
