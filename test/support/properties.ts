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
