const key = {
  id: 'key_01K3A8X2B6D0F4H8K3M7P1R5T9',
  name: 'Nightly export',
  scopes: ['tasks:read', 'executions:read'],
  makerId: null,
  hint: 'svc_sk_Zq3v',
  createdAt: '2030-01-31T12:00:00.000Z',
  expiresAt: '2031-01-31T12:00:00.000Z',
  revokedAt: null,
  lastUsedAt: null,
}

/** Examples of API keys, for the documentation. */
export const KEY_EXAMPLES = {
  create: {
    body: {
      name: 'Nightly export',
      scopes: ['tasks:read', 'executions:read'],
      expiresAt: '2031-01-31T12:00:00Z',
    },
    data: { ...key, secret: 'svc_sk_Zq3vEXAMPLEexampleEXAMPLEexampleEXAMPLEexample' },
  },
  list: {
    query: { limit: '20' },
    data: { items: [{ ...key, lastUsedAt: '2030-02-01T03:00:00.000Z' }], nextCursor: null },
  },
  revoke: {
    params: { id: key.id },
    query: { descendants: 'true' },
    data: { ...key, revokedAt: '2030-02-02T09:00:00.000Z', descendantsRevoked: 2 },
  },
}
