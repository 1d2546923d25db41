import { createServer } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A shop on loopback whose pages are empty until their scripts have run. */
export interface ScriptShop {
  readonly origin: string
  /** Requests so far: method, path, and what a test may want to know of them. */
  readonly requests: {
    readonly method: string
    readonly path: string
    readonly headers: IncomingMessage['headers']
  }[]
  close(): void
}

const PENS = Array.from({ length: 9 }, (_, index) => ({
  name: `Pen ${index + 1}`,
  price: (index + 1) * 3,
}))

const LIST =
  '<!doctype html><title>Pens</title><link rel="stylesheet" href="/style.css"><div id="app">' +
  '</div><script src="/app.js"></script>'
const APP = `
  let page = 1
  const app = document.getElementById('app')
  app.innerHTML = '<h1>Pens</h1><ul></ul><button id="more">Load more</button>'
  const more = document.getElementById('more')
  async function load() {
    const { pens, last } = await (await fetch('/api/pens?page=' + page++)).json()
    for (const pen of pens) {
      const item = document.createElement('li')
      item.className = 'pen'
      item.innerHTML = '<b></b> <span class="price"></span>'
      item.querySelector('b').textContent = pen.name
      item.querySelector('.price').textContent = pen.price
      document.querySelector('ul').append(item)
    }
    if (last) more.remove()
  }
  let loading = load()
  more.addEventListener('click', () => { loading = loading.then(load) })`
const SEARCH = `<!doctype html><title>Search</title><form><input id="q"></form><p id="found"></p><script>
  document.querySelector('form').addEventListener('submit', (event) => { event.preventDefault(); document.getElementById('found').textContent = 'Found: ' + document.getElementById('q').value })</script>`
const LONG = `<!doctype html><title>Long</title><style>body{margin:0}div{height:500px}</style><div></div><script>
  let added = 0
  addEventListener('scroll', () => { if (added++ < 3) document.body.append(Object.assign(document.createElement('div'), { className: 'later', textContent: 'Part ' + added })) })
  document.body.append(Object.assign(document.createElement('div'), { style: 'height:3000px;background:#cde' }))</script>`
const PLAIN =
  '<!doctype html><title>Plain</title><h1>Nothing to run</h1><ul><li class="pen"><b>Pencil' +
  '</b> <span class="price">2</span></li></ul>'
const COOKIE =
  '<!doctype html><title>Cookies</title><p id="seen"></p>' +
  `<script>fetch('/seen').then((answer) => answer.text()).then((text) => { ` +
  `document.getElementById('seen').textContent = text })</script>`

/** Opens the shop. */
export async function openScriptShop(): Promise<ScriptShop> {
  const requests: ScriptShop['requests'] = []
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://shop')
    requests.push({
      method: request.method ?? '',
      path: url.pathname + url.search,
      headers: request.headers,
    })
    const html = (body: string, headers: Record<string, string | string[]> = {}) =>
      void response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(body)
    switch (url.pathname) {
      case '/robots.txt':
        return void response.end('User-agent: *\nDisallow: /hidden/')
      case '/pens':
        return html(LIST)
      case '/app.js':
        return void response.writeHead(200, { 'content-type': 'text/javascript' }).end(APP)
      case '/style.css':
        return void response
          .writeHead(200, { 'content-type': 'text/css' })
          .end('body{margin:0;background:#204080;color:#fff}')
      case '/api/pens': {
        const page = Number(url.searchParams.get('page'))
        return void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ pens: PENS.slice(page * 3 - 3, page * 3), last: page === 3 }))
      }
      case '/search':
        return html(SEARCH)
      case '/long':
        return html(LONG)
      case '/plain':
        return html(PLAIN)
      case '/cookie':
        return html(COOKIE, {
          'set-cookie': ['a=1; Path=/', 'b=2; Path=/; Expires=Wed, 21 Oct 2099 07:28:00 GMT'],
        })
      case '/seen':
        return void response.end(
          `cookies ${request.headers.cookie ?? 'none'}; key ` +
            `${String(request.headers['x-key'] ?? 'none')}; agent ` +
            `${request.headers['user-agent'] ?? ''}`,
        )
      case '/endless':
        return html('<!doctype html><title>Endless</title><p>before</p><script>for (;;);</script>')
      case '/late-endless':
        return html(
          '<!doctype html><title>Endless</title><p>before</p><script>setTimeout(() => { for (;;); }, 300)</script>',
        )
      case '/moves':
        return html('<!doctype html><title>Moves</title><script>location.href = "/moved"</script>')
      case '/moved':
        return void response.writeHead(302, { location: '/deep/here' }).end()
      case '/deep/here':
        return html(
          '<!doctype html><title>Here</title><a class="next" href="there">there</a>' +
            '<script>document.title += "!"</script>',
        )
      case '/peeks':
        return html(
          '<!doctype html><title>Peeks</title><p id="got">nothing</p>' +
            '<script>fetch("/hidden/data").then((a) => a.text()).then((t) => { ' +
            'document.getElementById("got").textContent = t })</script>',
        )
      case '/hidden/data':
        return void response.end('secret')
      case '/hangs':
        return void html(
          '<!doctype html><title>Hangs</title><p>waiting</p><script>fetch("/never")</script>',
        )
      case '/never':
        return
      default:
        return void response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
