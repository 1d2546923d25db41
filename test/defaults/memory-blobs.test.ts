import { createMemoryBlobs } from '../../src/defaults/memory-blobs.ts'
import { blobsContract } from '../contracts/blobs.ts'

blobsContract('createMemoryBlobs', async () => ({ blobs: createMemoryBlobs() }))
