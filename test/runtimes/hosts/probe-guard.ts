import { createPlatform, type PlatformOptions, type Principal } from 'seine'
import type { Sites } from '../cases/create-stage.ts'

const CALLER: Principal = { account: 'acme', user: 'ann', scopes: ['*'] }

type Fetcher = NonNullable<PlatformOptions['fetcher']>

/**
 * Checks how far requests cannot reach private networks. A literal address is refused everywhere.
 * `pinnedTo` makes a fetcher that resolves every name to this machine, which must be refused as
 * well, and reached only if that is allowed.
 */
export async function probeGuard(
  { shop }: Sites,
  pinnedTo: ((address: string) => Fetcher) | null,
): Promise<string> {
  const quiet = { debug() {}, info() {}, warn() {}, error() {} }
  const rowsOf = async (url: string, options: PlatformOptions): Promise<number | string> => {
    const platform = createPlatform({ ...options, logger: quiet })
    try {
      const recipe = {
        start: { urls: [url] },
        extract: { items: '.product', fields: { name: 'h2' } },
      }
      return (await platform.api.previews.run(CALLER, { recipe, scope: 'recipe' })).rows.length
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : String(error)
    } finally {
      await platform.close()
    }
  }
  const path = '/category/pens'
  if ((await rowsOf(shop + path, {})) !== 'BAD_REQUEST') return 'nothing is refused'
  if (!pinnedTo)
    return 'hostnames are checked by name only; Cloudflare cannot reach private addresses'
  const { port } = new URL(shop)
  const named = `http://shop.example.org:${port}${path}`
  const refused = await rowsOf(named, { fetcher: pinnedTo('127.0.0.1') })
  const reached = await rowsOf(named, { fetcher: pinnedTo('127.0.0.1'), allowPrivateNetwork: true })
  return refused === 0 && reached === 7
    ? 'every resolved address is checked, and the connection goes to it'
    : `refused: ${refused}, reached: ${reached}`
}
