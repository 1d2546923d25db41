import { createJwtAuthenticator } from 'seine/jose'

const tenant = '11111111-2222-4333-8444-555555555555'

export const byEntraId = createJwtAuthenticator({
  jwks: `https://login.microsoftonline.com/${tenant}/discovery/v2.0/keys`,
  issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
  audience: '66666666-7777-4888-9999-000000000000', // the application (client) id of the API
})
