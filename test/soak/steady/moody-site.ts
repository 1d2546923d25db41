import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

// A process of its own: a site on loopback that misbehaves in one way for each first part of a
// path. It sends its port to its parent.

const SMALL = '<!doctype html><title>A page</title><h1>A page</h1><p class="a">Text</p>'
const SCRIPTED =
  '<!doctype html><title>Scripts</title><ul id="l"></ul><script>' +
  'for (let i = 0; i < 3; i++) document.getElementById("l").innerHTML += `<li>Item ${i}</li>`' +
  '</script>'
const HTML = { 'content-type': 'text/html; charset=utf-8' }
/** More than a page may have. */
const LARGE = Buffer.alloc(1_048_576, 'x')
const LARGE_PARTS = 24

const busyOnce = new Set<string>()
const MOST_REMEMBERED = 5_000

const site = createServer((request, response) => {
  const path = request.url ?? '/'
  request.resume()
  response.on('error', () => undefined)
  const [, mood = ''] = path.split('/')
  const send = (status: number, headers: Record<string, string>, body = ''): void => {
    response.writeHead(status, headers).end(body)
  }
  if (mood === 'good') return send(200, HTML, SMALL)
  if (mood === 'scripted') return send(200, HTML, SCRIPTED)
  if (mood === 'error') return send(500, HTML, 'No')
  if (mood === 'loop') return send(302, { location: `${path}x`.slice(0, 200) })
  if (mood === 'garbage')
    return send(
      200,
      { 'content-type': 'text/html; charset=no-such' },
      '\u0000<<p =">&#xffffff;'.repeat(500),
    )
  if (mood === 'busy') {
    if (busyOnce.size > MOST_REMEMBERED) busyOnce.clear()
    if (busyOnce.has(path)) return send(200, HTML, SMALL)
    busyOnce.add(path)
    return send(503, { 'retry-after': '1' })
  }
  if (mood === 'silent') return
  if (mood === 'broken') {
    response.writeHead(200, { ...HTML, 'content-length': '5000' })
    response.write(SMALL, () => response.destroy())
    return
  }
  if (mood === 'reset') return void request.socket.resetAndDestroy()
  if (mood === 'drip') return void drip()
  if (mood === 'large') return void large().catch(() => undefined)
  send(404, HTML, 'Nothing is here')

  async function drip(): Promise<void> {
    response.writeHead(200, HTML)
    for (const part of SMALL.match(/.{1,12}/g) ?? []) {
      response.write(part)
      await pause(100)
    }
    response.end()
  }

  async function large(): Promise<void> {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    response.writeHead(200, HTML)
    // One who goes away ends it: nothing drains then.
    for (let part = 0; part < LARGE_PARTS; part++)
      if (!response.write(LARGE)) await once(response, 'drain', { signal: gone.signal })
    response.end()
  }
})

site.listen(0, '127.0.0.1', () => {
  const address = site.address()
  process.send?.(typeof address === 'object' && address ? address.port : 0)
})
process.on('disconnect', () => process.exit())
