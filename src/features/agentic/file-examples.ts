/** A short stream; for documentation. */
export const PROGRESS_EXAMPLE = `event: progress
data: {"progress":3,"total":20,"message":"exec_01K3AA1C5D9F3H7K2M6P8R0T4V is running: 3 of 20 known pages done, 3 rows"}

event: result
data: {"id":"agx_01K3AA1C5D9F3H7K2M6P8R0T4V","tool":"crawl","executionId":"exec_01K3AA1C5D9F3H7K2M6P8R0T4V"}

`
