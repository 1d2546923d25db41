import { registerHooks } from 'node:module'

// Loaded before examples/hosts/better-auth-mcp.ts: whatever address that server reads a client's
// document from, this is the document. Tests reach no network, and the example reads public
// addresses alone.

const NETWORK = '@better-auth/cimd/node'
const source = `export const fetchClientMetadataResource = async (input) => {
  const client_id = input instanceof Request ? input.url : String(input)
  return Response.json({
    client_id,
    client_name: 'A client with a document',
    redirect_uris: ['https://client.example/callback'],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  })
}`

registerHooks({
  resolve(specifier, context, next) {
    return specifier === NETWORK
      ? { url: `data:text/javascript,${encodeURIComponent(source)}`, shortCircuit: true }
      : next(specifier, context)
  },
})
