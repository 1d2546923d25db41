import fc from 'fast-check'

// Properties draw the same cases in every run, so that a red run is about the change at hand. To
// look further: `FC_SEED=$RANDOM npx vitest run`; a case that is found becomes an example of its
// property.
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20_261_121) })
