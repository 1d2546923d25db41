import { createServer } from 'node:http'
import { readFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startShop, type Shop } from '../../../examples/demo/shop.ts'
import { runCommand, startCommand, startScript, temporaryFolder } from '../../support/command.ts'
import { serveHttp } from '../../support/loopback.ts'
import { requireBuild } from '../../support/sources/dist.ts'
import { root } from '../../support/sources/sources.ts'

let shop: Shop
let folder: ReturnType<typeof temporaryFolder>
beforeAll(async () => {
  requireBuild()
  shop = await startShop()
})
afterAll(() => shop.close())
beforeEach(() => {
  folder = temporaryFolder()
  return () => folder.remove()
})

const extract = (...args: string[]) =>
  runCommand(['extract', ...args, '--allow-private-network'], folder.path)
const file = (name: string) => readFileSync(join(folder.path, name), 'utf8')
const PRODUCTS = [
  '--follow',
  'nav.categories a',
  '--follow',
  '.product-link',
  '--next',
  'a.next',
  '--field',
  'sku=.sku',
  '--field',
  'name=h1',
  '--field',
  'price:number=.price',
  '--field',
  'image=.photo@src',
]
const expectedRows = (url: string) =>
  shop.products
    .map(({ sku, name, price, slug }) => ({ sku, name, price, image: `${url}/images/${slug}.svg` }))
    .toSorted(bySku)
/** How many requests the shop has had. */
const timesAsked = () => [...shop.requests.values()].reduce((sum, times) => sum + times, 0)
const bySku = (a: { sku: string }, b: { sku: string }) => (a.sku < b.sku ? -1 : 1)
/**
 * The shop behind a gate. After the first `most` requests the gate holds all others until it is
 * opened: how far a crawl comes does not depend on the moment of its interruption.
 */
async function behindDoor(most: number) {
  let [requests, isOpen] = [0, false]
  const door = createServer((request, response) => {
    if (++requests > most && !isOpen) return
    void fetch(shop.url + request.url).then(async (answer) => {
      response
        .writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
        .end(await answer.text())
    })
  })
  await new Promise<void>((resolve) => void door.listen(0, '127.0.0.1', resolve))
  const address = door.address()
  const port = typeof address === 'object' ? address?.port : null
  return {
    url: `http://127.0.0.1:${port}`,
    asked: () => requests,
    open: () => void (isOpen = true),
    close() {
      door.closeAllConnections()
      door.close()
    },
  }
}
type ProductRow = ReturnType<typeof expectedRows>[number]
const linesOf = (text: string): ProductRow[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .toSorted(bySku)

describe('seine extract', () => {
  test('an address alone: the items of the list are detected and shown as a table', async () => {
    const { code, stdout, stderr } = await extract(`${shop.url}/category/pens`)
    expect(code).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(2 + 7)
    for (const product of shop.categories[1]?.products.slice(0, 7) ?? [])
      expect(stdout).toContain(product.name.slice(0, 21))
    expect(lines.every((line) => line.length <= 100)).toBe(true)
    expect(stderr).toContain('7 rows from 1 page')
    expect(stderr).toContain('There is a next page')
    expect(stdout + stderr).not.toContain('\x1b')
  })

  test('--pages follows a detected cursor, and a page without a list says why', async () => {
    await using site = await serveHttp((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://a.example')
      const cursor = searchParams.get('cursor') ?? '0'
      const items = ['a', 'b'].map((id) => ({ id: id + cursor, name: `Item ${id}${cursor}` }))
      const menu = [1, 2, 3].map((i) => `<a href="/${i}">Part ${i}</a>`).join('')
      if (pathname === '/api') response.setHeader('content-type', 'application/json')
      else response.setHeader('content-type', 'text/html')
      if (pathname === '/robots.txt') response.writeHead(404).end()
      else if (pathname === '/api')
        response.end(JSON.stringify({ items, next_cursor: cursor === '0' ? '1' : null }))
      else response.end(`<title>About</title><nav>${menu}</nav><p>A word about us.</p>`)
    })
    const all = await extract(`${site.origin}/api`, '--pages', '5')
    expect([all.code, all.stderr]).toEqual([0, expect.stringContaining('4 rows from 2 pages')])
    const none = await extract(`${site.origin}/about`)
    expect(none.stderr).toContain(
      '  3 nav > a are in nav, which is beside the content. The first one: "Part 1"',
    )
  })

  test('--pages follows the detected next link', async () => {
    const { code, stderr } = await extract(
      `${shop.url}/category/pens`,
      '--pages',
      '10',
      '--out',
      'pens.jsonl',
    )
    expect([code, stderr]).toEqual([0, expect.stringContaining('20 rows from 3 pages')])
    expect(file('pens.jsonl').trim().split('\n')).toHaveLength(20)
  })

  test('--follow, --next and --field crawl the whole shop, each product once', async () => {
    const { code, stdout, stderr } = await extract(shop.url, ...PRODUCTS, '--out', 'all.jsonl')
    expect([code, stderr]).toEqual([0, expect.stringContaining('60 rows from 70 pages')])
    expect(linesOf(file('all.jsonl'))).toEqual(expectedRows(shop.url))
    expect(stdout).toContain('… and 50 more rows')
    expect(stderr).toMatch(/^\d+ of \d+ pages, \d+ rows?$/m)
  })

  test('--follow without --field takes the fields that are detected on the linked pages', async () => {
    const { code, stderr } = await extract(
      `${shop.url}/category/desk`,
      '--follow',
      '.product-link',
      '--out',
      'desk.json',
    )
    expect([code, stderr]).toEqual([0, expect.stringContaining('7 rows from 8 pages')])
    const rows: unknown[] = JSON.parse(file('desk.json'))
    expect(rows).toHaveLength(7)
    for (const product of shop.categories[2]?.products.slice(0, 7) ?? [])
      expect(JSON.stringify(rows)).toContain(JSON.stringify(product.name))
  })

  test('--out writes csv and json by the extension', async () => {
    const args = [
      `${shop.url}/category/pens`,
      '--items',
      '.product',
      '--field',
      'name=h2',
      '--field',
      'price:number=.price',
    ]
    await extract(...args, '--out', 'pens.csv')
    await extract(...args, '--out', 'pens.JSON')
    const pens =
      shop.categories[1]?.products.slice(0, 7).map(({ name, price }) => ({ name, price })) ?? []
    expect(JSON.parse(file('pens.JSON'))).toEqual(pens)
    expect(file('pens.csv').replace('\ufeff', '').split('\r\n')).toEqual([
      'name,price',
      ...pens.map(({ name, price }) => `${name},${price}`),
      '',
    ])
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  test('--recipe runs a whole recipe, and <url> replaces its start', async () => {
    writeFileSync(
      join(folder.path, 'recipe.json'),
      JSON.stringify({
        start: { urls: [`${shop.url}/category/pens`] },
        extract: { items: '.product', fields: { name: 'h2' } },
      }),
    )
    await extract('--recipe', 'recipe.json', '--out', 'a.jsonl')
    await extract(`${shop.url}/category/desk`, '--recipe', 'recipe.json', '--out', 'b.jsonl')
    expect(JSON.parse(file('a.jsonl').split('\n')[0] ?? '')).toEqual({
      name: shop.categories[1]?.products[0]?.name,
    })
    expect(JSON.parse(file('b.jsonl').split('\n')[0] ?? '')).toEqual({
      name: shop.categories[2]?.products[0]?.name,
    })
  })

  test('Ctrl-C pauses and says how to resume; the resumed crawl ends with exactly the right rows', async () => {
    const door = await behindDoor(40)
    const command = startCommand(
      [
        'extract',
        door.url,
        ...PRODUCTS,
        '--concurrency',
        '2',
        '--allow-private-network',
        '--data',
        'here',
        '--out',
        'all.jsonl',
      ],
      folder.path,
    )
    await expect.poll(door.asked, { interval: 10 }).toBeGreaterThan(25)
    command.child.kill('SIGINT')
    const paused = await command.ended
    expect(paused.code).toBe(130)
    const [, line = ''] = /^ {2}seine (extract --resume .*)$/m.exec(paused.stderr) ?? []
    expect(line).toMatch(
      /^extract --resume \S+ --data here --out all\.jsonl --allow-private-network$/,
    )
    expect(existsSync(join(folder.path, 'all.jsonl'))).toBe(false)
    door.open()
    const resumed = await runCommand(line.split(' '), folder.path)
    expect([resumed.code, resumed.stderr]).toEqual([
      0,
      expect.stringContaining('60 rows from 70 pages'),
    ])
    expect(linesOf(file('all.jsonl'))).toEqual(expectedRows(door.url))
    // A finished execution can be shown, and written, again.
    const again = await runCommand(line.replace('all.jsonl', 'again.jsonl').split(' '), folder.path)
    expect([again.code, file('again.jsonl')]).toEqual([0, file('all.jsonl')])
    door.close()
  })

  test('Ctrl-C ends the looking at pages, and starts nothing', async () => {
    const door = await behindDoor(0)
    const urls = [1, 2, 3].map((page) => `${door.url}/page/${page}`)
    const line = ['extract', ...urls, '--allow-private-network', '--save-recipe', 'r.json']
    const command = startCommand(line, folder.path)
    await expect.poll(door.asked, { interval: 10 }).toBe(1)
    command.child.kill('SIGINT')
    const { code, stderr } = await command.ended
    expect([code, stderr]).toEqual([130, 'Interrupted before anything was started.\n'])
    expect([door.asked(), existsSync(join(folder.path, 'r.json'))]).toEqual([1, false])
    const runs = await runCommand(['runs', '--json'], folder.path)
    expect(runs.stdout.trim()).toBe('')
    door.close()
  })

  test('rows in memory are not said to be kept, whatever says that they are there', async () => {
    const inMemory = { SEINE_DATA: ':memory:' }
    const words = ['--field', 'name=h1', '--allow-private-network']
    const done = await runCommand(['extract', shop.url, ...words], folder.path, inMemory)
    expect([done.code, done.stderr]).toEqual([0, expect.not.stringContaining('seine rows')])
    const door = await behindDoor(3)
    const line = ['extract', door.url, ...PRODUCTS, '--allow-private-network']
    const command = startCommand(line, folder.path, inMemory)
    await command.until('stderr', /^\d+ of \d+ pages/m)
    command.child.kill('SIGINT')
    const { code, stderr } = await command.ended
    expect([code, stderr]).toEqual([130, expect.stringContaining('Nothing is kept')])
    expect(stderr).not.toContain('--resume')
    door.close()
  })

  test('--field is a column beside those of the list, unless its value is one of the whole page', async () => {
    const pens = `${shop.url}/category/pens`
    const added = await extract(pens, '--field', 'label=h2', '--json')
    expect(added.stderr).toContain('beside yours. Take yours alone with --no-detect.')
    const [first] = linesOf(added.stdout)
    expect(Object.keys(first ?? {})).toEqual(expect.arrayContaining(['label', 'price', 'url']))
    expect(linesOf(added.stdout)).toHaveLength(7)
    const all = await extract(pens, '--field', 'label=h2', '--pages', '10', '--json')
    expect(linesOf(all.stdout)).toHaveLength(20)
    const alone = await extract(pens, '--field', 'label=h2', '--no-detect', '--json')
    expect(linesOf(alone.stdout)).toEqual([{ label: shop.categories[1]?.products[0]?.name }])
    const page = await extract(pens, '--field', 'heading=h1', '--json')
    expect(page.stderr).toContain('have no heading: a row is the whole page')
    expect(linesOf(page.stdout)).toHaveLength(1)
    expect((await extract(pens, '--no-detect')).code).toBe(2)
  })

  test('a site that is down is a failure with its reason, and an empty but valid file', async () => {
    const closedShop = await startShop()
    await closedShop.close()
    const { code, stdout, stderr } = await extract(
      closedShop.url,
      '--field',
      'a=h1',
      '--out',
      'none.json',
    )
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/seine: The execution failed: .+/)
    expect(JSON.parse(file('none.json'))).toEqual([])
    const detected = await extract(closedShop.url)
    expect([detected.code, detected.stdout]).toEqual([1, ''])
    expect(detected.stderr).toContain('seine: The page could not be fetched')
  })

  test('a recipe that matches nothing says which field', async () => {
    const { code, stderr } = await extract(shop.url, '--field', 'price=.no-such-thing')
    expect(code).toBe(1)
    expect(stderr).toContain('price')
  })

  test('an address without a scheme is understood', async () => {
    const { code, stderr } = await extract(`${shop.url.replace('http://', '')}/category/pens`)
    expect([code, stderr]).toEqual([0, expect.stringContaining('7 rows from 1 page')])
  })

  test('a --follow that matches no link is named', async () => {
    const { code, stderr } = await extract(shop.url, '--follow', '.nothing')
    expect([code, stderr]).toEqual([1, `seine: --follow ".nothing" finds no link on ${shop.url}\n`])
  })

  test('localhost is refused with the flag that allows it, and no packet leaves', async () => {
    const before = shop.requests.size
    for (const args of [[shop.url], [shop.url, '--field', 'a=h1'], [shop.url, '--follow', 'a']]) {
      const { code, stderr } = await runCommand(['extract', ...args], folder.path)
      expect(code).toBeGreaterThan(0)
      expect(stderr).toContain('--allow-private-network')
    }
    expect(shop.requests.size).toBe(before)
  })

  test('private addresses are not allowed by a flag where other accounts have data', async () => {
    await runCommand(['keys', 'create', '--account', 'acme'], folder.path)
    const args = ['extract', `${shop.url}/about`]
    const before = timesAsked()
    const refused = await runCommand([...args, '--allow-private-network'], folder.path)
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^seine: Other accounts also have data here \(acme\), .*--url/),
    ])
    expect(timesAsked()).toBe(before)
    // It is the one account that has data, or all of them may.
    const own = await runCommand(
      [...args, '--allow-private-network', '--account', 'acme'],
      folder.path,
    )
    expect(own.code).toBe(0)
    const all = await runCommand(args, folder.path, { SEINE_ALLOW_PRIVATE_NETWORK: '1' })
    expect(all.code).toBe(0)
  })

  test.for([
    [
      ['--out', 'rows.pdf'],
      '--out rows.pdf: .pdf is not known; use .csv, .json, .jsonl, .xlsx, .parquet, .xml, .html',
    ],
    [['--out', 'rows'], 'the file needs an extension'],
    [['--field', 'title=h1[', '--out', 'rows.csv'], '--field title: '],
    [['--field', 'a=h1', '--follow', 'a:::b'], '--follow: '],
    [['--field', 'a=h1', '--next', '>>'], '--next: '],
    [['--field', 'a=h1', '--items', '['], '--items: '],
    [['--follow', 'a:::b'], '--follow: '],
    [['--pages', '0'], '--pages must be a whole number from 1 to'],
    [['--recipe', 'absent.json'], '--recipe absent.json cannot be read'],
    [['--resume', 'exec_1'], '--resume continues with the saved recipe'],
    [['second'], '"second" is not a URL; quote selectors'],
    [['--fields', 'a=h1'], 'seine extract has no flag --fields; did you mean --field?'],
  ] as const)('%j is refused as wrong use before any request is sent', async ([args, message]) => {
    const before = Array.from(shop.requests.values()).reduce((sum, count) => sum + count, 0)
    const { code, stdout, stderr } = await extract(`${shop.url}/`, ...args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`seine: ${message.startsWith('-') ? message : ''}`)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('    at ')
    expect(Array.from(shop.requests.values()).reduce((sum, count) => sum + count, 0)).toBe(before)
  })

  test('an unknown execution cannot be resumed', async () => {
    const { code, stderr } = await runCommand(['extract', '--resume', 'exec_nothing'], folder.path)
    expect([code, stderr]).toEqual([1, 'seine: Execution not found\n'])
  })

  test('several addresses come from stdin, and rows go to stdout for programs', async () => {
    const products = shop.products.slice(0, 3).map(({ slug }) => `${shop.url}/product/${slug}`)
    const input = join(folder.path, 'addresses')
    writeFileSync(input, `# three of them\n\n${products.join('\n')}\n`)
    const { ended } = startCommand(
      ['extract', '-', '--field', 'name=h1', '--json', '--allow-private-network'],
      folder.path,
      {},
      input,
    )
    const { code, stdout, stderr } = await ended
    expect([code, stderr]).toEqual([0, expect.stringContaining('3 rows from 3 pages')])
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
    ).toHaveLength(3)

    const piped = await extract(
      products[0] ?? '',
      '--field',
      'name=h1',
      '--out',
      '-',
      '--format',
      'csv',
    )
    expect(piped.stdout.split(/\r?\n/)[0]).toBe('name')
  })

  test('the first of a list and a product becomes the table, and the other is named at the end', async () => {
    const items = [5, 6, 7, 8, 9].map(
      (price) =>
        `<li class="lamp"><h2><a href="/lamp/${price}">Lamp ${price}</a></h2><b>€ ${price}.50</b></li>`,
    )
    const list = `<h1>Lamps</h1><ul>${items.join('')}</ul>`
    const text = `<article><h1>Of lamps</h1>${'<p>Glass and brass make a lamp, slowly.</p>'.repeat(20)}</article>`
    const site = createServer(({ url }, response) => {
      response.setHeader('content-type', 'text/html').end(url === '/list' ? list : text)
    })
    await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve))
    const address = site.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const { code, stdout, stderr } = await extract(`${url}/list`, `${url}/story`, '--json')
    expect([code, stdout.trim().split('\n').length]).toEqual([0, 5])
    expect(stderr.trim().split('\n')).toContain(
      `Not in this table, as it is a page of another kind: ${url}/story. Extract it separately.`,
    )
    site.close()
  })

  test('while code is loaded, what stays is not copied at each half megabyte', async () => {
    const main = join(root, 'dist/command/main.js')
    const url = `${shop.url}/product/${shop.products[0]?.slug ?? ''}`
    const { code, stdout } = await startScript(
      ['--trace-gc', main, 'extract', url, '--allow-private-network'],
      folder.path,
    ).ended
    const scavenges = stdout.split('\n').filter((line) => line.includes(' ms: Scavenge '))
    expect(code).toBe(0)
    // 56 where it does not grow, and 13 where it does.
    expect(scavenges.length).toBeLessThan(30)
    expect(scavenges.length).toBeGreaterThan(2)
  })

  test('headers and cookies reach the site, the delay is waited, and the recipe is saved', async () => {
    const seen: (string | undefined)[] = []
    const site = createServer(({ url, headers }, response) => {
      if (url !== '/robots.txt') seen.push(String(headers['x-a']), headers.cookie)
      response.setHeader('content-type', 'text/html').end('<title>x</title><h1>Hello</h1>')
    })
    await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve))
    const address = site.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`
    const flags = ['--header', 'X-A: b', '--cookie', 's=1', '--delay', '1ms', '--field', 'h=h1']
    const { code, stderr } = await extract(url, ...flags, '--save-recipe', 'r.json')
    expect([code, stderr]).toEqual([0, expect.stringContaining('seine extract --recipe r.json')])
    // Once to look at the page, and once in the run.
    expect(seen).toEqual(['b', 's=1', 'b', 's=1'])
    expect((await extract('--recipe', 'r.json')).code).toBe(0)
    site.closeAllConnections()
    site.close()
  })

  test('a run without rows fails and says where to look; a column without values is reported', async () => {
    const none = await extract(shop.url, '--items', '.no-such', '--field', 'a=b')
    expect(none).toMatchObject({ code: 1, stdout: '' })
    expect(none.stderr).toMatch(/There are no rows\. .*: seine pages exec_/)
    const some = await extract(shop.url, '--field', 'title=title', '--field', 'x=.no-such')
    expect(some.stderr).toContain('A column has no value in any row: x')
  })

  test('a page that scripts write fails where only its title and address came', async () => {
    const title = '<title>App</title><script src="/app.js"></script>'
    await using site = await serveHttp((request, response) => {
      const more = request.url === '/more' ? '<meta name="description" content="All lamps">' : ''
      const menu = request.url === '/menu' ? '<nav><a href="/">Home</a></nav>' : ''
      response
        .setHeader('content-type', 'text/html')
        .end(`${title}${more}${menu}<div id="root"></div>`)
    })
    const bare = await extract(`${site.origin}/`)
    expect(bare).toMatchObject({ code: 1, stdout: expect.stringContaining('App') })
    expect(bare.stderr).toContain('Scripts write')
    expect(bare.stderr).toContain('Only values that every page has were found')
    expect(await extract(`${site.origin}/menu`)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('Home'),
      stderr: expect.stringContaining('Only values that every page has were found'),
    })
    expect(await extract(`${site.origin}/more`)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('All lamps'),
    })
    expect(await extract(`${site.origin}/`, '--field', 't=title')).toMatchObject({ code: 0 })
    const header = await extract(`${site.origin}/`, '--header', 'X-A: b')
    expect(header).toMatchObject({ code: 1, stderr: expect.stringContaining('--render runs them') })
    const start = { urls: [`${site.origin}/`] }
    for (const extracted of ['auto', { fields: { title: 'title', price: '.price' } }]) {
      writeFileSync(join(folder.path, 'r.json'), JSON.stringify({ start, extract: extracted }))
      const { code, stderr } = await extract('--recipe', 'r.json')
      expect([code, stderr]).toEqual([1, expect.stringContaining('--render runs them')])
    }
    writeFileSync(
      join(folder.path, 'r.json'),
      JSON.stringify({ start, extract: { fields: { title: 'title' } } }),
    )
    expect(await extract('--recipe', 'r.json')).toMatchObject({ code: 0 })
    const items = await extract(`${site.origin}/`, '--items', '.card', '--field', 'a=b')
    expect([items.code, items.stderr]).toEqual([1, expect.stringContaining('--render runs them')])
  })

  test('a misspelt word is refused before the page is looked at', async () => {
    const before = timesAsked()
    const { code, stderr } = await extract(shop.url, '--scope', 'domian')
    expect([code, timesAsked()]).toEqual([2, before])
    expect(stderr).toMatch(/^seine: --scope: must be .*; did you mean domain\?$/m)
  })

  test.for<readonly [flags: string, message: string]>([
    ['--out no/such/x.csv', 'there is no folder no/such'],
    ['--out -', '--out - needs --format'],
    ['--format csv', '--format needs --out'],
    ['--delay 5', '--delay must be a time such as 500ms'],
    ['--scope near', '--scope: '],
  ])('%s is refused before any request is sent', async ([flags, message]) => {
    const before = timesAsked()
    const { code, stderr } = await extract(shop.url, '--field', 'a=b', ...flags.split(' '))
    expect([code, timesAsked()]).toEqual([2, before])
    expect(stderr).toContain(message)
  })
})
