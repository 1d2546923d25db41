import { createJwtAuthenticator } from 'seine/jose'

const realm = 'https://id.example.com/realms/acme'

export const byKeycloak = createJwtAuthenticator({
  jwks: `${realm}/protocol/openid-connect/certs`,
  issuer: realm,
  audience: 'seine', // added by an audience mapper
})
