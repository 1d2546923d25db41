const recipe = {
  params: { city: { description: 'Where' } },
  start: { urls: ['https://hotels.example.com/{{city}}'] },
  extract: { items: '.hotel', fields: { name: 'h2' } },
}
const task = {
  id: 'task_01K3A9Z7Q4T8V2M6N0P5R1S7WX',
  name: 'Hotels',
  description: '',
  labels: ['travel'],
  status: 'active',
  schedule: {
    cron: '0 6 * * *',
    timeZone: 'UTC',
    missed: 'run',
    overlap: false,
    params: { city: 'ghent' },
  },
  datasetId: null,
  webhookIds: [],
  recipe,
}

/** A file of tasks, for the documentation. */
export const TASK_FILE = { version: 1, exportedAt: '2030-01-31T12:00:00.000Z', tasks: [task] }

/** Examples of files of tasks, for the documentation. */
export const TASK_FILE_EXAMPLES = {
  export: {},
  import: {
    query: { dryRun: 'true' },
    body: TASK_FILE,
    data: {
      dryRun: true,
      counts: { created: 0, updated: 0, unchanged: 1, refused: 0 },
      items: [{ name: task.name, taskId: task.id, outcome: 'unchanged', code: null, issues: [] }],
    },
  },
}
