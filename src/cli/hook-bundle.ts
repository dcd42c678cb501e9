/** Entry of the hook's bundle. */
export { hookMain } from './hook.ts'
export { warmUp } from './hook/warm.ts'
