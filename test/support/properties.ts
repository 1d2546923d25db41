import fc from 'fast-check'

// Properties draw the same cases in every run, so a failure is caused by the current change. To
// search further: `FC_SEED=$RANDOM npx vitest run`; a failing case becomes an example of its
// property.
//
// A stated `maxLength` is reached: by itself it would only bound arrays and texts of ten items.
fc.configureGlobal({
  seed: Number(process.env.FC_SEED ?? 20_261_121),
  defaultSizeToMaxWhenMaxSpecified: true,
})

/** The share of runs: a tenth in `unit`, all in other projects; set by vitest.config.ts. */
const SHARE = Number(process.env['PROPERTY_SHARE'] ?? 1)

/** The number of runs of a slow property in this project, from its number in a proof. */
export const runs = (whole: number): number => Math.ceil(whole * SHARE)
