import { html } from '../../../kernel/http/html.ts'

/** Erased together with the account, because a new account may get its name. */
const ERASURE =
  'If the operator of this service erases that account with all its data, this is erased too.'

/**
 * The page that a link of a message opens. Only its button ends messages, because programs that
 * check mail open every link. It names neither account nor address, so that nobody can put their
 * own text on it.
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
      // The page's address must stay secret, because it ends the messages.
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    },
  })
}
