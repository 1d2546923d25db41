import { createPlatform, type Authenticator } from 'seine'
import { createJwtAuthenticator } from 'seine/jose'

const SESSIONS = new Map([['a-session', 'ann']])

const bySession: Authenticator = async (request) => {
  const user = SESSIONS.get(request.headers.get('x-session') ?? '')
  return user === undefined ? null : { account: 'acme', user, scopes: ['tasks:*', 'executions:*'] }
}
const byJwt = createJwtAuthenticator({
  jwks: new URL('https://issuer.example.com/keys'),
  issuer: 'https://issuer.example.com/',
  audience: 'https://api.example.com',
})

// They are asked in this order, and API keys last.
export const platform = createPlatform({ authenticators: [bySession, byJwt] })
