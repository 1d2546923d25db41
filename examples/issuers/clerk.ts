import { createJwtAuthenticator } from 'seine/jose'

export const byClerk = createJwtAuthenticator({
  jwks: 'https://clerk.example.com/.well-known/jwks.json',
  issuer: 'https://clerk.example.com',
  audience: false, // session tokens have none
  clients: ['https://app.example.com'], // origins of your pages
  principal: ({ sub, o }) => ({
    account: organisationIn(o) ?? sub,
    user: sub,
    scopes: ['tasks:*', 'executions:*'],
  }),
})

/** The active organisation, which Clerk puts into the claim `o`. */
function organisationIn(o: unknown): string | null {
  return typeof o === 'object' && o !== null && 'id' in o && typeof o.id === 'string' ? o.id : null
}
