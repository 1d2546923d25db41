/**
 * The cost of the main content of a page of 100 KB, from its bytes or its text: Seine's formats
 * beside Readability and Defuddle on linkedom. CPU of the main thread. Run: `node
 * bench/main-content.ts [rounds]`, after `npm ci --prefix bench`.
 */
import { detectRecipe } from '../src/engine/plan/auto-extract.ts'
import { compileRecipe } from '../src/engine/plan/compile.ts'
import { parseRecipe } from '../src/engine/recipe/parse-recipe.ts'

type Content = (html: string, url: string) => string | Promise<string>

const URL_OF_PAGE = 'https://news.example/harbour/tides'
const rounds = Number(process.argv[2] ?? 100)
const peers: { readonly readability: Content; readonly defuddle: Content } = await import(
  new URL('peers/main-content.ts', import.meta.url).href
)

/** An article of 12 KB of prose, in a page of a newspaper of about 100 KB. */
function newsPage(id: number): string {
  const prose = (seed: number): string =>
    Array.from(
      { length: 60 },
      (_, index) =>
        ['tide', 'harbour', 'boats', 'and', 'the', 'rope', 'of', 'morning,', 'while', 'light'][
          (index * 7 + seed * 3 + id) % 10
        ],
    ).join(' ')
  const list = (count: number, of: (i: number) => string): string =>
    Array.from({ length: count }, (_, index) => of(index)).join('\n')
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tides ${id} | The Post</title>
<meta property="og:type" content="article"><style>${'.a{color:red}'.repeat(2_000)}</style></head><body>
<header><nav><ul>${list(120, (i) => `<li class="nav-item"><a class="link" href="/s/${i}">Section ${i}</a></li>`)}</ul></nav></header>
<main><article class="story"><h1>Tides of the harbour ${id}</h1><p class="byline">By Ida Lund</p><div class="body">
${list(30, (i) => `<p class="text">${prose(i)}. <a href="/t/${i}">More</a> ${prose(i + 3)}.</p>`)}</div></article>
<section class="related"><ul>${list(
    60,
    (i) =>
      `<li class="card"><a href="/a/${i}"><img src="/i/${i}.jpg" alt=""><h3>Story ${i}` +
      `</h3></a><p>${prose(i).slice(0, 90)}</p></li>`,
  )}</ul></section>
<section id="comments">${list(
    40,
    (i) =>
      `<div class="comment"><b class="author">Reader ${i}</b><p>${prose(i).slice(0, 200)}` +
      '</p></div>',
  )}</section></main>
<footer>${list(60, (i) => `<a href="/f/${i}">Foot ${i}</a>`)}</footer>
<script>${'window.dataLayer=window.dataLayer||[];dataLayer.push({event:"view"});'.repeat(300)}</script></body></html>`
}

const pages = Array.from({ length: 20 }, (_, index) => newsPage(index))
const encoder = new TextEncoder()
const seine = (format: 'text' | 'markdown'): Content => {
  const plan = compileRecipe(parseRecipe({ start: { urls: [URL_OF_PAGE] }, formats: [format] }))
  return (html, url) => {
    const page = { url, contentType: 'text/html; charset=utf-8', body: encoder.encode(html) }
    const { rows } = plan.process(page, { label: 'start', depth: 0, hop: 1 })
    return String(rows[0]?.[format] ?? '')
  }
}
/** The kind that `extract: "auto"` takes the page for, and its row. */
const auto = parseRecipe({ start: { urls: [URL_OF_PAGE] }, extract: 'auto' }).recipe
const seineAuto: Content = (html, url) => {
  const page = { url, contentType: 'text/html; charset=utf-8', body: encoder.encode(html) }
  const { rows } = compileRecipe(detectRecipe(auto, page)).process(page, {
    label: 'start',
    depth: 0,
    hop: 1,
  })
  return String(rows[0]?.['content'] ?? '')
}
const contenders: readonly (readonly [name: string, content: Content])[] = [
  ['Seine, text', seine('text')],
  ['Seine, Markdown', seine('markdown')],
  ['Seine, auto', seineAuto],
  ['Readability on linkedom', peers.readability],
  ['Defuddle on linkedom', peers.defuddle],
]

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
const spent = new Map<string, number[]>(contenders.map(([name]) => [name, []]))
// The first rounds compile; the contenders take turns, so that a busy machine is busy for all.
for (let round = -10; round < rounds; round++)
  for (const [name, content] of contenders) {
    const html = pages[(round + 20) % pages.length] ?? ''
    const begun = cpuMs()
    const text = await content(html, URL_OF_PAGE)
    if (round >= 0) spent.get(name)?.push(cpuMs() - begun)
    if (!text.includes('harbour') || text.includes('Section 7'))
      throw new Error(`${name} has not found the article`)
  }
console.log(`a page of ${Math.round((pages[0] ?? '').length / 1_000)} kB, ${rounds} rounds`)
for (const [name, times] of spent) {
  const sorted = times.toSorted((a, b) => a - b)
  const quantile = (share: number): string =>
    (sorted[Math.floor(share * sorted.length)] ?? 0).toFixed(1)
  console.log(`${name}: median ${quantile(0.5)} ms, 90 % ${quantile(0.9)} ms`)
}
