import { createJwtAuthenticator } from 'seine/jose'

export const byAuth0 = createJwtAuthenticator({
  jwks: 'https://acme.eu.auth0.com/.well-known/jwks.json',
  issuer: 'https://acme.eu.auth0.com/', // with the slash
  audience: 'https://data.example.com', // the API's identifier
})
