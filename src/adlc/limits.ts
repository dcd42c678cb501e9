/** Bounds of a ticket store, and the name of its manifest. */

/** Bytes of one shard. */
export const MOST_SHARD = 1 << 20
/** Bytes of a legacy store. */
export const MOST_LEGACY = 16 << 20
/** Tickets of one store: ten times what the largest known project has. */
export const MOST_SHARDS = 5000
/** Characters of one rail; longer ones are no paths. */
export const MOST_RAIL = 1024

export const MANIFEST = '.store.json'
