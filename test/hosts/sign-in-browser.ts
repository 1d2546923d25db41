import { runInNewContext } from 'node:vm'

/** `fetch`, or what stands before it. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** The form of a page, as its script sees it. */
interface Form {
  onsubmit?: (event: object) => Promise<void>
  readonly lastChild: { textContent: string }
}

/** A browser with cookies and one page, whose own script runs. */
export class Browser {
  cookie = ''
  /** The page's words about the form that was sent. */
  said = ''
  readonly #origin: string
  readonly #fetch: Fetch

  constructor(origin: string, fetchFrom: Fetch = fetch) {
    this.#origin = origin
    this.#fetch = fetchFrom
  }

  /** Follows an address to the page that the server sends this browser to. */
  async follow(address: URL | string): Promise<URL> {
    const answer = await this.#send(address, {})
    const body: unknown = await answer.json().catch(() => ({}))
    const { url = '' } = body as { url?: string }
    return new URL(answer.headers.get('location') ?? url, this.#origin)
  }

  /** Fills in the form of a page and sends it. Returns where its script goes; `null`: it stays. */
  async submit(page: URL, values: Readonly<Record<string, string>>): Promise<URL | null> {
    const text = await (await this.#send(page, {})).text()
    const fields = [...text.matchAll(/<input name="(\w+)"/g)].map(([, name]) => name)
    if (fields.toSorted().join() !== Object.keys(values).toSorted().join())
      throw new Error(`${page.pathname} asks for ${fields.join(', ')}`)
    const [, script = ''] = /<script>([^]*)<\/script>/.exec(text) ?? []
    const form: Form = { lastChild: { textContent: '' } }
    const links = [...text.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => ({ href, search: '' }))
    const location = { search: page.search, href: '' }
    runInNewContext(script, {
      document: { forms: [form], links },
      location,
      FormData: class extends Map<string, string> {
        constructor() {
          super(Object.entries(values))
        }
      },
      fetch: (path: string, init: RequestInit) => this.#send(path, init),
    })
    if (links.some(({ search }) => search !== page.search))
      throw new Error(`A link of ${page.pathname} forgets who asks for the user`)
    await form.onsubmit?.({ preventDefault() {} })
    this.said = form.lastChild.textContent
    return location.href === '' ? null : new URL(location.href, this.#origin)
  }

  async #send(address: URL | string, init: RequestInit): Promise<Response> {
    const headers = { cookie: this.cookie, origin: this.#origin, ...init.headers }
    const url = new URL(address, this.#origin)
    const answer = await this.#fetch(url, { redirect: 'manual', ...init, headers })
    const set = answer.headers.getSetCookie().map((one) => one.split(';')[0])
    if (set.length > 0) this.cookie = set.join('; ')
    return answer
  }
}
