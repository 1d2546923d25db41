/** All words of the console, in English. Each other language has the same names. */
export const en = {
  signIn: {
    title: 'Sign in',
    about: 'Paste an API key. It stays in this tab and goes to this server alone.',
    key: 'API key',
    submit: 'Sign in',
    refused: 'The server does not know this key. Check that all of it was copied.',
    host: 'Sign in with your account',
    out: 'Sign out',
  },
  start: {
    title: 'Get the data of a page',
    about: 'Type the address of a page. You see its table before anything is saved.',
    address: 'Address of a page',
    submit: 'Show its table',
    working: 'The page is fetched and read…',
    nothing: 'Nothing was found that looks like a table, a list or an article.',
    rows: (count: number) => (count === 1 ? '1 row' : `${count} rows`),
  },
  errors: {
    offline: 'The server does not answer. Check that it runs; this page tries again when you do.',
  },
} as const

/** The words of one language. */
export type Words = typeof en

/** The words of the reader's language. */
export const words: Words = en
