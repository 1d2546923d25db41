/**
 * An answer whose body is a text, before a `Response` is made of it. A server's adapter can write
 * it as it is: its length is known, and there is no stream to read.
 */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** An answer: a {@link Reply}, or a `Response` where the body is made while it is sent. */
export type Outgoing = Reply | Response

/** The `Response` of an answer. */
export function responseOf(outgoing: Outgoing): Response {
  if (outgoing instanceof Response) return outgoing
  const { status, headers, body } = outgoing
  return new Response(body, { status, headers })
}
