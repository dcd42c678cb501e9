/** Entry of the hook's bundle. */

export { warmUp } from './hook/warm.ts'
export { hookMain } from './hook.ts'
