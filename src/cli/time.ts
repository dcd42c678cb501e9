/** Times for people: always UTC, and said to be. */

/** `2026-01-02 03:04:05Z`. `time`: milliseconds since 1970, or an ISO time in UTC. */
export const shownTime = (time: number | string): string =>
  (typeof time === 'string' ? time : new Date(time).toISOString()).replace('T', ' ').replace(/\.\d+(?=Z$)/, '')
