/**
 * Loads the modules that a platform loads when they are first needed. A fake clock jumps on when
 * there is no work, and does not see that a module is loading.
 */
export async function loadAhead(): Promise<void> {
  await Promise.all([
    import('./inline-pages.ts'),
    import('../../../src/engine/extract/document/read-records.ts'),
    import('../../../src/engine/extract/document/record-fields.ts'),
    import('../../../src/engine/egress/ask-model-endpoint.ts'),
    import('../../../src/engine/model/model-reader.ts'),
    import('../../../src/engine/page-work.ts'),
    import('../../../src/engine/plan/compile.ts'),
    import('../../../src/features/schedules/timetable.ts'),
    import('../../../src/kernel/pace.ts'),
    import('../../../src/features/agentic/read-page.ts'),
    import('../../../src/features/agentic/search/find-starts.ts'),
    import('../../../src/features/agentic/service.ts'),
    import('../../../src/features/agentic/stream-call.ts'),
    import('../../../src/features/plan-steps/plan-steps.ts'),
    import('../../../src/features/previews/inspect.ts'),
    import('../../../src/features/previews/service.ts'),
    import('../../../src/features/snapshots/service.ts'),
    import('../../../src/features/templates/catalog/catalog.ts'),
    import('../../../src/features/templates/json-schema.ts'),
    import('../../../src/mcp/endpoint.ts'),
    import('../../../src/mcp/sdk-server.ts'),
    import('../../../src/mcp/api-tools.ts'),
    import('../../../src/mcp/within-time.ts'),
    import('../../../src/platform/worker.ts'),
    import('../../../src/crawl/run/advance.ts'),
    import('../../../src/crawl/relocate/find-relocation.ts'),
    import('../../../src/crawl/shared/help.ts'),
    import('../../../src/features/datasets/merge.ts'),
  ])
}
