/** Calls the HTTP API as any program would: with `fetch` and an API key. */
export interface Client {
  /** `data` of the answer. @throws {Error} with the API's message */
  call(method: 'GET' | 'POST', path: string, body?: object): Promise<Data>
  /** The bytes of a download. @throws {Error} if it is refused */
  download(path: string): Promise<Uint8Array>
}

/** What the demo reads of the answers; every operation fills its own part. */
export interface Data {
  readonly id: string
  readonly status: string
  readonly reason: { readonly message: string } | null
  readonly counters: Readonly<Record<'visited' | 'pending' | 'rows' | 'failed', number>>
  readonly items: readonly Readonly<Record<string, unknown>>[]
}

interface Envelope {
  readonly success: boolean
  readonly data: Data
  readonly error?: { readonly message: string }
}

/** A client of the API at `origin`. */
export function createClient(origin: string, key: string): Client {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return {
    async call(method, path, body) {
      const response = await fetch(origin + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      const { data, error }: Envelope = JSON.parse(await response.text())
      if (!response.ok) throw new Error(`${method} ${path}: ${error?.message ?? response.status}`)
      return data
    },
    async download(path) {
      const response = await fetch(origin + path, { headers })
      if (!response.ok) throw new Error(`GET ${path}: ${response.status}`)
      return new Uint8Array(await response.arrayBuffer())
    },
  }
}
