import { serve } from 'seine/node'
import { register } from '@/instrumentation'
import * as route from '@/app/data/[...path]/route'

// Treats the files of examples/hosts/next by the conventions of Next: `register` is called once,
// then one exported function for each method, with the client's address in `x-forwarded-for`.

type RouteHandler = (
  request: Request,
  context: { readonly params: Promise<{ readonly path: readonly string[] }> },
) => Promise<Response>

const handlers: Readonly<Record<string, RouteHandler>> = { ...route }

process.env['NEXT_RUNTIME'] = 'nodejs'
await register()
const server = await serve({
  port: Number(process.env['PORT'] ?? 3000),
  async fetch(received, context) {
    const { pathname } = new URL(received.url)
    if (!pathname.startsWith('/data/')) return new Response('The pages of your own site')
    const handle = handlers[received.method]
    if (!handle) return new Response(null, { status: 405 })
    const request = new Request(received)
    if (context?.clientIp && !request.headers.has('x-forwarded-for'))
      request.headers.set('x-forwarded-for', context.clientIp)
    return handle(request, { params: Promise.resolve({ path: pathname.split('/').slice(2) }) })
  },
})
process.once('SIGTERM', async () => {
  await server.close()
  process.exit()
})
