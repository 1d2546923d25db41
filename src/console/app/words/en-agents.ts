/** Words of agents, and of the reference, in English. */
export const agentWords = {
  agents: {
    progress: (done: number, total: number | null) =>
      total === null
        ? `${done.toLocaleString()} done`
        : `${done.toLocaleString()} of ${total.toLocaleString()}`,
    title: 'Agents',
    about: 'An agent reaches this service by the Model Context Protocol, at:',
    paste: 'For your client',
    tools: 'Tools',
    schema: 'Schema of its arguments',
    call: 'Call',
    result: 'What the agent sees',
    calls: 'Calls of the last days',
    noCalls: 'No agent has called yet.',
    tool: 'Tool',
    when: 'When',
    answered: 'answered',
    credits: 'Credits',
  },
  reference: {
    title: 'Reference',
    about: 'Everything that this console does, a program can do.',
    search: 'Search',
    whole: 'The whole reference on one page',
    schemas: 'Schemas',
    none: 'No operation and no schema has these words.',
    body: 'Body',
    send: 'Send',
    sure: 'This changes something. Send it?',
    answer: (status: number) => `Answer ${status}`,
  },
  agent: {
    again: 'Ask again',
    cancelled: 'The call was cancelled.',
    pages: 'Pages read, of those known',
    noRows: 'There are no rows.',
    read: (count: string) => `Rows read: ${count}`,
    row: 'One row',
  },
}
