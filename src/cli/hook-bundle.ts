/** Entry of the hook's bundle. */
export { hookMain } from './hook.ts'
