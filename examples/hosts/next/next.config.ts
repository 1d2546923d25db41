/**
 * Left as it is: the package starts threads and picks its parts by the runtime, which bundling
 * would undo.
 */
export default { serverExternalPackages: ['seine'] }
