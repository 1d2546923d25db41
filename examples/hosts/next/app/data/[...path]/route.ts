//#region mounting
// app/data/[...path]/route.ts
import { platform } from '@/platform'

const handler = (request: Request): Promise<Response> => {
  // The last address is the one that the proxy, or Next itself, has seen. Limits are counted by it.
  const clientIp = request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim()
  return platform.fetch(request, { ...(clientIp && { clientIp }) })
}

export {
  handler as GET,
  handler as HEAD,
  handler as POST,
  handler as PUT,
  handler as PATCH,
  handler as DELETE,
  handler as OPTIONS,
}
//#endregion
