/** Begins the reason of what passes only because a person has paused the guard; the log is told from it. */
export const PAUSED_REASON = 'a person has paused the guard'
