/**
 * Recoverability: what would be lost, and does it exist elsewhere? Only these files ask git questions for a verdict, and
 * only for effects whose verdict turns on the answer.
 */
export { judgeGit } from './loss-git.ts'
export { judgeLossOfPath } from './loss-path.ts'
export type { LossTools, PhysicalTarget } from './loss-tools.ts'
