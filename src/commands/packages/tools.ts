/** Development tools of the JavaScript world that rows can tell. */
import type { Tool } from './vetted.ts'

export const TOOLS: readonly Tool[] = []
