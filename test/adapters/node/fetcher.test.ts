import { createDefaultFetcher, createNodeFetcher } from '../../../adapters/node/fetcher.ts'
import { fetcherContract } from '../../contracts/fetcher.ts'

fetcherContract('The node fetcher', createNodeFetcher)
fetcherContract('The default fetcher', createDefaultFetcher)
