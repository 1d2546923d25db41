import { builderWords } from './words/en-builder.ts'
import { accountWords } from './words/en-account.ts'
import { agentWords } from './words/en-agents.ts'
import { datasetWords } from './words/en-datasets.ts'
import { runWords } from './words/en-runs.ts'
import { taskWords } from './words/en-tasks.ts'
import { names } from './words/en-names.ts'
import { spoken } from './words/language.ts'

/** A word for each state of the API. Later versions may have more. */
function stateWords(words: Readonly<Record<string, string>>) {
  return words
}

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
    unsteady: 'This server names another user each time.',
    ended: 'The key has ended or was revoked. Sign in again.',
  },
  start: {
    title: 'Get the data of a page',
    about: 'Type the address of a page. You see its table before anything is saved.',
    address: 'Address of a page',
    addressOrWords: 'Address of a page, or words to search for',
    submit: 'Show its table',
    noHits: 'The search engine has found nothing.',
    working: 'The page is fetched and read…',
    nothing: 'Nothing was found that looks like a table, a list or an article.',
    rows: (count: number) => (count === 1 ? '1 row' : `${count} rows`),
    build: 'Choose rows and columns',
    others: 'Other things on this page',
    take: 'Take this instead',
  },
  kinds: {
    list: 'List',
    table: 'Table',
    article: 'Article',
    product: 'Product',
    page: 'Page',
  },
  types: {
    text: 'text',
    number: 'number',
    integer: 'whole number',
    date: 'date',
    url: 'address',
    boolean: 'yes or no',
    media: 'file',
    html: 'HTML',
    markdown: 'Markdown',
    json: 'JSON',
  },
  ...builderWords,
  nav: {
    tasks: 'Tasks',
    runs: 'Runs',
    datasets: 'Datasets',
    templates: 'Templates',
    schedules: 'Schedules',
    usage: 'Usage',
    keys: 'Keys',
    webhooks: 'Webhooks',
    agents: 'Agents',
    reference: 'Reference',
    operator: 'Operator',
  },
  /** Statuses and outcomes of the API. */
  states: stateWords({
    queued: 'waiting',
    running: 'running',
    pausing: 'pausing',
    paused: 'paused',
    cancelling: 'stopping',
    succeeded: 'done',
    failed: 'failed',
    cancelled: 'cancelled',
    timed_out: 'out of time',
    active: 'active',
    archived: 'archived',
    fetched: 'fetched',
    unchanged: 'unchanged',
    duplicate: 'seen before',
    skipped_robots: 'forbidden by robots.txt',
    skipped_scope: 'outside of the scope',
    skipped_depth: 'too deep',
    skipped_limit: 'beyond a limit',
    blocked: 'blocked',
    pending: 'waiting',
    present: 'present',
    gone: 'gone',
    added: 'added',
    changed: 'changed',
    returned: 'returned',
    done: 'done',
    skipped: 'left out',
    started: 'started',
    planned: 'planned',
    skipped_overlap: 'left out: the run before was not done',
    skipped_paused: 'left out: the task was paused',
    skipped_missed: 'missed: no worker ran',
    no_run: 'no run, or it was deleted',
    refused: 'refused',
  }),
  recent: {
    title: 'Latest runs',
    failed: 'Latest runs that failed',
    changed: 'What has changed',
    credits: (count: string) => `${count} credits can be spent.`,
  },
  ...taskWords,
  ...runWords,
  ...datasetWords,
  ...accountWords,
  ...agentWords,
  ...names,
  look: { title: 'Look', system: 'As the system', light: 'Light', dark: 'Dark' },
  language: 'Language',
  copy: 'Copy',
  actions: 'What can be done',
  more: 'Show more',
  noneYet: 'Nothing found so far. There is more to search.',
  searchOn: 'Search on',
  searching: 'Searching…',
  /** The entry of a list that the address names. */
  sought: {
    stopped: (count: string) => `What the address names is not among the first ${count} entries.`,
    absent: 'This list does not have what the address names.',
  },
  loading: 'One moment…',
  errors: {
    offline: 'The server does not answer. Check that it runs.',
    unanswered: 'No answer came. It may have been done all the same: look first.',
    again: 'Try again',
    needs: (scopes: string) => `This needs the scope ${scopes}, which your key lacks.`,
    noScreen: 'There is no such screen.',
    json: 'This is not JSON.',
  },
}

/** The words of one language, with the same names in all languages. */
export type Words = typeof en

/** The words of the reader's language. If a language cannot be loaded, English is used. */
export const words: Words = (await spoken()) ?? en
