//#region mounting
// app/data/[...path]/route.ts
import { platform } from '@/platform'

const handler = (request: Request): Promise<Response> => platform.fetch(request)

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
