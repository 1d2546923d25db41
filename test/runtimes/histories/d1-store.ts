// The store of D1 as a bundle of its own, into which a bug can be put.
export { createD1Store } from '../../../adapters/cloudflare/d1-store.ts'
