// The exports of `seine/testing`: a suite for each port, which every adapter must pass, and the
// errors that the suites require of an adapter.
export {
  FetchFailure,
  ModelFailure,
  SearchFailure,
  StoreFailure,
} from '../../src/kernel/failures.ts'
export { blobsContract } from './blobs.ts'
export type { BlobsSubject } from './blobs.ts'
export { fetcherContract } from './fetcher.ts'
export { limiterContract } from './limiter.ts'
export type { LimiterSubject } from './limiter.ts'
export { modelContract } from './model.ts'
export type { ModelSubject } from './model.ts'
export { pageProcessorContract } from './page-processor.ts'
export { queueContract } from './queue.ts'
export type { QueueSubject } from './queue-subject.ts'
export { searchProviderContract } from './search-provider.ts'
export type { SearchProviderSubject } from './search-provider.ts'
export { storeContract } from './store.ts'
export type { StoreSubject } from './store-subject.ts'
export { telemetryContract } from './telemetry.ts'
export type { EndedSpan, Measured, TelemetrySubject } from './telemetry.ts'
