/** What a server answers by itself, in the envelope of the platform (spec part 2). */
export function refusal(status: number, code: string, message: string): Response {
  return Response.json(
    { success: false, error: { code, message } },
    { status, headers: { 'x-request-id': crypto.randomUUID() } },
  )
}
