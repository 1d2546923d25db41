// Joins the modules of dist/ that a server loads at its start into a few files. Node takes some 0.7 ms of CPU for each
// file, and tsup makes one for each set of entries and late imports that share code, most of them below 4 KB.
import { readFile, readdir, rm } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { rollup } from 'rollup'

/**
 * The files that are made, and what reaches their modules: entries, and modules that are imported
 * late but at each start.
 */
const JOINED = {
  platform: ['index'],
  worker: ['worker', 'queue-consumer', 'operator-worker', 'key-tree'],
  server: ['serve', 'command/main', 'adapters/node/index', 'adapters/sqlite/index'],
}
/** Entries that load little. No module that they reach is joined with others. */
const SMALL = [
  'client',
  'engine',
  'testing',
  'adapters/node/page-threads',
  'adapters/node/page-thread',
  'adapters/node/page-document-thread',
  'adapters/common/sqlite/checkpoint-thread',
]
/** The name of a module that is not an entry: its first part, and a hash. */
const CHUNK = /^(.+)-[A-Z\d]{8}\.js$/
const IMPORT = /^(?:import|export)\b[^'"`;]*?['"]([^'"]+)['"];?$/gm
const LATE = /\bimport\(['"]([^'"]+)['"]\)/g

/** Writes the modules in this folder again, with fewer files. */
export async function joinChunks(folder) {
  const modules = await modulesIn(folder)
  const places = placesOf(modules)
  const bundle = await rollup({
    input: Object.fromEntries(
      [...modules.keys()]
        .filter((path) => !CHUNK.test(path))
        .map((path) => [path.slice(0, -'.js'.length), join(folder, path)]),
    ),
    external: (name) => !/^[./]/.test(name),
    // tsup has left out what nobody uses.
    treeshake: false,
    preserveEntrySignatures: 'strict',
    onwarn: ({ message }) => {
      throw new Error(message)
    },
  })
  await Promise.all([...modules.keys()].map((path) => rm(join(folder, path))))
  await bundle.write({
    dir: folder,
    hoistTransitiveImports: false,
    minifyInternalExports: false,
    onlyExplicitManualChunks: true,
    manualChunks: (path) => places.get(path.slice(folder.length + 1)),
    chunkFileNames: ({ name }) => `${CHUNK.exec(`${name}.js`)?.[1] ?? name}-[hash:8].js`,
    hashCharacters: 'base36',
  })
  await bundle.close()
}

/** Each module, with what it imports at once (modules, packages), and the modules it imports late. */
async function modulesIn(folder) {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.js'))
  const read = async (path) => {
    const text = await readFile(join(folder, path), 'utf8')
    const names = (pattern) => [...text.matchAll(pattern)].map(([, name]) => name)
    const own = (list) =>
      list
        .filter((name) => name.startsWith('.'))
        .map((name) => normalize(join(dirname(path), name)))
    const imported = names(IMPORT)
    const packages = imported.filter((name) => !/^[.#]|^node:/.test(name))
    return [path, { imports: own(imported), late: own(names(LATE)), packages }]
  }
  return new Map(await Promise.all(paths.map(read)))
}

/** The name of the file that each joined module goes into. */
function placesOf(modules) {
  const entries = [...modules.keys()].filter((path) => !CHUNK.test(path))
  const pathsOf = (names) => names.map((name) => pathOf(name, modules))
  const small = reachedBy(pathsOf(SMALL), modules)
  const always = packagesOf(reachedBy(pathsOf(JOINED.platform), modules), modules)
  // Anything that the platform ever loads runs where there is no Node.
  const core = reachedBy(pathsOf(JOINED.platform), modules, true)
  const places = new Map()
  for (const [place, names] of Object.entries(JOINED)) {
    const roots = pathsOf(names)
    const reached = [...reachedBy(roots, modules)].filter((path) => CHUNK.test(path))
    const others = reachedBy(
      entries.filter((path) => !roots.includes(path)),
      modules,
    )
    // A host may lack a package that one adapter needs, so a module with such a package stays alone.
    // So does what it imports, as files would import each other in a circle.
    const alone = reachedBy(
      reached.filter((path) => modules.get(path).packages.some((name) => !always.has(name))),
      modules,
    )
    for (const path of reached) {
      if (small.has(path) || alone.has(path) || places.has(path)) continue
      if (place === 'server' && core.has(path)) continue
      if (!others.has(path)) places.set(path, place)
      // What adapters need of the platform they load without the rest of it.
      else if (place === 'platform') places.set(path, 'shared')
    }
  }
  return places
}

/** These modules and what they import, and what that imports: at once, or late too. */
function reachedBy(paths, modules, isLateToo = false) {
  const reached = new Set(paths)
  for (const path of reached) {
    const { imports, late } = modules.get(path)
    for (const next of isLateToo ? [...imports, ...late] : imports) reached.add(next)
  }
  return reached
}

const packagesOf = (paths, modules) =>
  new Set([...paths].flatMap((path) => modules.get(path).packages))

/** The path of a module by its path without an ending, or by its name without a hash. */
function pathOf(name, modules) {
  if (modules.has(name)) return name
  if (modules.has(`${name}.js`)) return `${name}.js`
  const paths = [...modules.keys()].filter((path) => CHUNK.exec(path)?.[1] === name)
  if (paths.length !== 1) throw new Error(`dist has ${paths.length} modules named ${name}`)
  return paths[0]
}
