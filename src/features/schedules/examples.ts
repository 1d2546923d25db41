const params = { id: 'task_01K3A9Z7Q4T8V2M6N0P5R1S7WX' }

/** Examples of schedules, for the documentation. */
export const SCHEDULE_EXAMPLES = {
  get: {
    params,
    data: {
      schedule: { cron: '0 6 * * 1-5', timeZone: 'Europe/Berlin', missed: 'run', overlap: false },
      setBy: { user: 'acme', keyId: 'key_01K3A8X2B6D0F4H8K3M7P1R5T9' },
      nextRuns: ['2030-02-01T05:00:00.000Z', '2030-02-04T05:00:00.000Z'],
      pastTimes: ['2030-01-30T05:00:00.000Z', '2030-01-31T05:00:00.000Z'],
      last: {
        at: '2030-01-31T05:00:00.000Z',
        outcome: 'started',
        executionId: 'exec_01K3AA1C5D9F3H7K2M6P8R0T4V',
        message: null,
      },
    },
  },
}
