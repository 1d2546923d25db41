import { createServiceHost } from './service-host.ts'

type HostOptions = NonNullable<Parameters<typeof createServiceHost>[0]>

/** A service host with the operator's API, and the key of an operator in an account of its own. */
export async function createOperatorHost(options: HostOptions = {}) {
  const host = await createServiceHost({ operator: true, ...options })
  const key = await host.keyOf('staff', ['operator'])
  const ask = async (method: string, path: string, body?: object, headers = {}) =>
    host.call(method, `/api/v1/operator${path}`, { key, headers, ...(body && { body }) })
  /** All items of a list, and how many pages it took. */
  const all = async (path: string) => {
    const items: { readonly id: string; readonly account?: string }[] = []
    let cursor: string | null = null
    let pages = 0
    do {
      const query = new URLSearchParams({ ...(cursor !== null && { cursor }) })
      const { status, body } = await ask('GET', `${path}${path.includes('?') ? '&' : '?'}${query}`)
      if (status !== 200) throw new Error(JSON.stringify(body))
      items.push(...body.data.items)
      cursor = body.data.nextCursor
      pages++
    } while (cursor !== null)
    return { items, pages }
  }
  return { host, key, ask, all }
}
