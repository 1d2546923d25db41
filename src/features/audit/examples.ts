/** Examples of the audit log, for the documentation. */
export const AUDIT_EXAMPLES = {
  list: {
    query: { operation: 'tasks.create', from: '2030-01' },
    data: {
      items: [
        {
          id: 'aud_01K3AA1C5D9F3H7K2M6P8R0T4V',
          at: '2030-01-31T12:05:00.000Z',
          operation: 'tasks.create',
          subjectId: 'task_01K3A9Z7Q4T8V2M6N0P5R1S7WX',
          user: 'ann@example.com',
          keyId: null,
          ip: '203.0.113.7',
          requestId: 'req_01K3AA1C5D9F3H7K2M6P8R0T4V',
          status: 201,
          code: null,
        },
      ],
      nextCursor: null,
    },
  },
  export: { query: { format: 'csv', from: '2030-01' } },
}
