import { createJwtAuthenticator } from 'seine/jose'

const pool = 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEf123'

export const byCognito = createJwtAuthenticator({
  jwks: `${pool}/.well-known/jwks.json`,
  issuer: pool,
  audience: false, // access tokens have none
  clients: ['4h57mr5mftbk2a0uh3example'], // app clients that may call
  scopePrefix: 'https://data.example.com/', // the identifier of the resource server
})
