import type { agentWords as english } from './en-agents.ts'

/** Words of agents, and of the reference, in German. */
export const agentWords: typeof english = {
  agents: {
    progress: (done: number, total: number | null) =>
      total === null
        ? `${done.toLocaleString()} fertig`
        : `${done.toLocaleString()} von ${total.toLocaleString()}`,
    title: 'Agenten',
    about: 'Ein Agent erreicht diesen Dienst über das Model Context Protocol, unter:',
    paste: 'Für deinen Client',
    tools: 'Werkzeuge',
    schema: 'Schema der Argumente',
    call: 'Aufrufen',
    result: 'Was der Agent sieht',
    calls: 'Aufrufe der letzten Tage',
    noCalls: 'Noch kein Agent hat etwas aufgerufen.',
    tool: 'Werkzeug',
    when: 'Wann',
    answered: 'beantwortet',
    credits: 'Guthaben',
  },
  reference: {
    title: 'Referenz',
    about: 'Alles, was diese Konsole tut, kann auch ein Programm.',
    search: 'Suchen',
    whole: 'Die ganze Referenz auf einer Seite',
    schemas: 'Schemas',
    none: 'Keine Operation und kein Schema hat diese Wörter.',
    body: 'Inhalt',
    send: 'Senden',
    sure: 'Das ändert etwas. Senden?',
    answer: (status: number) => `Antwort ${status}`,
  },
  agent: {
    again: 'Noch einmal fragen',
    cancelled: 'Der Aufruf wurde abgebrochen.',
    pages: 'Gelesene Seiten, von den bekannten',
    noRows: 'Es gibt keine Zeilen.',
    read: (count: string) => `Gelesene Zeilen: ${count}`,
    row: 'Eine Zeile',
  },
}
