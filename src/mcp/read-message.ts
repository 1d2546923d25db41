/** What came of reading a body. */
export type ReadMessage = { readonly message: unknown } | { readonly status: 400 | 413; readonly code: number; readonly reason: string }

/** Reads a JSON body of at most `maxBytes`, whatever its sender says of its length. */
export async function readMessage(request: Request, maxBytes: number): Promise<ReadMessage> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return tooLarge(maxBytes)
  const text = await readText(request, maxBytes)
  if (text === null) return tooLarge(maxBytes)
  try {
    const message: unknown = JSON.parse(text)
    return { message }
  } catch {
    return { status: 400, code: -32_700, reason: 'Parse error: the body is not valid JSON' }
  }
}

async function readText({ body }: Request, maxBytes: number): Promise<string | null> {
  if (body === null) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let length = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    length += value.length
    if (length > maxBytes) {
      // The rest is not wanted; whether the sender hears of it does not matter here.
      reader.cancel().catch(() => undefined)
      return null
    }
    text += decoder.decode(value, { stream: true })
  }
}

function tooLarge(maxBytes: number): ReadMessage {
  return { status: 413, code: -32_600, reason: `The body is larger than ${maxBytes} bytes` }
}
