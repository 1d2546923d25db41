import { html } from '../../../kernel/http/html.ts'

/** An erased account leaves nothing, so this is gone as well, and its name may begin anew. */
const ERASURE =
  'If whoever runs this service erases that account with all that is stored of it, this is erased too.'

/**
 * The page that a link of a message opens. Only its button ends messages, since programs that look
 * for harmful mail open every link. It names neither account nor address: nobody can put words of
 * their own on it.
 */
export function unsubscribePage(isEnded: boolean): Response {
  return isEnded
    ? page(
        'The messages have ended',
        html`<p>That account sends no more messages to your address, and cannot ask it again.</p>
          <p>${ERASURE}</p>`,
      )
    : page(
        'Stop the messages?',
        html`<p>
            The account that sends them then sends nothing more to your address, and cannot ask it
            again. This cannot be undone.
          </p>
          <p>${ERASURE}</p>
          <form method="post"><button>Stop the messages</button></form>`,
      )
}

function page(title: string, content: ReturnType<typeof html>): Response {
  const { text } = html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <meta name="robots" content="noindex" />
      <title>${title}</title>
      <h1>${title}</h1>
      ${content}
    </html>`
  return new Response(text, {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy':
        "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      'Cache-Control': 'no-store',
      // The address of the page is what ends the messages.
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    },
  })
}
