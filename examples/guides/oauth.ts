import { createPlatform } from 'seine'
import { createJwtAuthenticator } from 'seine/jose'

export const platform = createPlatform({
  authenticators: [
    createJwtAuthenticator({
      jwks: new URL('https://auth.example.com/jwks.json'),
      issuer: 'https://auth.example.com',
      audience: 'https://data.example.com/mcp',
    }),
  ],
  mcp: {
    authorizationServers: ['https://auth.example.com'],
    resource: 'https://data.example.com/mcp',
  },
})
